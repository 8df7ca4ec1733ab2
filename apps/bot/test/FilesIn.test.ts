import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "./support/RealStack.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const sheet = {
  name: "orders.xlsx",
  data: bytes("PK\0sheet"),
  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
}
const picture = { name: "photo.png", data: bytes("\0picture"), contentType: "image/png" }

describe("files from Discord, with the real service", () => {
  it(
    "reach the folder of the task and the agent, whatever its kinds of content are",
    () =>
      withRealStack(
        async ({ emulator, firstThread, folder, link, you }) => {
          const asked = await you.command(emulator.channelId, "task new", { prompt: "blocks", file: sheet })
          await link(await asked.settled())
          const { shows, thread } = await firstThread(20_000)
          const first = await shows(/resource_link[^]*done ·/)
          assert.match(first, /"name":"orders\.xlsx"/)
          assert.match(first, /Attached files, stored in the working directory: \\?"attachments\/orders\.xlsx\\?"/)
          assert.notMatch(first, /does not take files|"blob"/)

          await you.send(thread.id, "blocks", [picture])
          const second = await shows(/done ·[^]*"uri":"\.\/attachments\/photo\.png"[^]*done ·/)
          const [task = ""] = readdirSync(join(folder, "server", "sandboxes"))
          const attachments = join(folder, "server", "sandboxes", task, "attachments")
          assert.deepEqual(readdirSync(attachments).toSorted(), ["orders.xlsx", "photo.png"])
          assert.strictEqual(readFileSync(join(attachments, "orders.xlsx"), "latin1"), "PK\0sheet")
          assert.notMatch(second, /does not take files/)
        },
        { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }
      ),
    60_000
  )
})
