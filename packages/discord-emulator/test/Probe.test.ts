import { afterAll, beforeAll, describe, it } from "vitest"
import { commands } from "./probe/Commands.ts"
import { forms } from "./probe/Forms.ts"
import { forwards } from "./probe/Forwards.ts"
import { interactions } from "./probe/Interactions.ts"
import { messages } from "./probe/Messages.ts"
import { people } from "./probe/People.ts"
import { places } from "./probe/Places.ts"
import { routes } from "./probe/Routes.ts"
import { openProbe, type ProbeContext } from "./probe/ProbeContext.ts"
import { threads } from "./probe/Threads.ts"
import { webhooks } from "./probe/Webhooks.ts"

/** What Discord does by its documentation, seen through an unpatched discord.js. */
describe.each([
  ["messages", messages],
  ["places", places],
  ["threads", threads],
  ["people", people],
  ["webhooks", webhooks],
  ["commands", commands],
  ["forms", forms],
  ["forwards", forwards],
  ["interactions", interactions],
  ["guild and application", routes]
])("Discord's %s", (_name, behaviours) => {
  let scene: ProbeContext
  beforeAll(async () => {
    scene = await openProbe()
  })
  afterAll(() => scene.close())

  it.each(behaviours)("$it", async (behaviour) => {
    await behaviour.run(scene)
  })
})
