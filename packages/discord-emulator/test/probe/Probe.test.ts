import { afterAll, beforeAll, describe, it } from "vitest"
import { commands } from "./Commands.ts"
import { forms } from "./Forms.ts"
import { forwards } from "./Forwards.ts"
import { interactions } from "./Interactions.ts"
import { messages } from "./Messages.ts"
import { people } from "./People.ts"
import { places } from "./Places.ts"
import { routes } from "./Routes.ts"
import { openProbe, type ProbeContext } from "./ProbeContext.ts"
import { threads } from "./Threads.ts"
import { webhooks } from "./Webhooks.ts"

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
