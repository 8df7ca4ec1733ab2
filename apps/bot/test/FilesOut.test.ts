import { existsSync, readdirSync, unlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import { withRealStack } from "./support/RealStack.ts"
import { buttonsOf } from "./support/Stack.ts"

const scripted = { server: { agents: [{ command: [process.execPath, scriptedAgent] }] } }

describe.concurrent("files that an agent makes outside of its artifacts", () => {
  it(
    "are a card from which people get them, which stays true over a restart",
    () =>
      withRealStack(async ({ emulator, firstThread, folder, link, startBot, stopBot, you }) => {
        const prompt =
          "write report.md one\nwrite src/app.ts two\nwrite gone.txt x\nwrite node_modules/a.js x\necho made"
        const asked = await you.command(emulator.channelId, "task new", { prompt })
        await link(await asked.settled())
        const { shows, thread } = await firstThread(20_000)
        const first = await shows(/made[^]*Files of this answer[^]*done ·/)
        assert.match(first, /gone\.txt · 1 B · new[^]*report\.md · 3 B · new[^]*src\/app\.ts · 3 B · new/)
        assert.notInclude(first, "node_modules/a.js ·")
        const card = () =>
          emulator
            .messages(thread.id)
            .find(({ embeds }) => embeds.some(({ title }) => title?.includes("Files of") === true))!
        const control = (action: RegExp) => buttonsOf(card()).find(({ custom_id: id }) => action.test(id))!.custom_id
        assert.lengthOf(
          emulator.messages(thread.id).flatMap(({ attachments }) => attachments),
          0
        )

        await you.select(thread.id, card().id, control(/:get$/), ["1"])
        await shows(/report\.md · posted as it was then/)
        const names = () =>
          emulator.messages(thread.id).flatMap(({ attachments }) => attachments.map((file) => file.filename))
        await emulator.waitFor(() => names().includes("report.md"), { what: "the file", timeoutMs: 20_000 })

        await stopBot()
        await startBot()
        const [task = ""] = readdirSync(join(folder, "server", "sandboxes"))
        unlinkSync(join(folder, "server", "sandboxes", task, "gone.txt"))
        await you.press(thread.id, card().id, control(/:all$/))
        await shows(/gone\.txt · no longer there[^]*src\/app\.ts · posted as it was then/)
        await emulator.waitFor(() => names().includes("app.ts"), { what: "the other file", timeoutMs: 20_000 })
        assert.isFalse(buttonsOf(card()).some(({ custom_id: id }) => /:(get|all)$/.test(id)))
        assert.deepEqual(names().toSorted(), ["app.ts", "report.md"])

        const other = emulator.user("Sam")
        await other.press(thread.id, card().id, control(/:always$/))
        await emulator.quiet(thread.id, 200)
        assert.notMatch(emulator.transcript(thread.id), /every further answer/)
        await you.press(thread.id, card().id, control(/:always$/))
        await shows(/The files of every further answer/)
        await shows(new RegExp(`<@${you.id}> has the files of every further answer posted here`))
        const audit = await (await you.command(emulator.channelId, "settings audit")).settled()
        assert.match(audit.embeds[0]?.description ?? "", /had the files of every answer posted/)
        await you.send(thread.id, "write next.md three")
        await emulator.waitFor(() => names().includes("next.md"), { what: "the next file", timeoutMs: 20_000 })
        const end = await shows(/next\.md[^]*done ·/)
        assert.lengthOf(end.match(/Files of this answer/g) ?? [], 1)
      }, scripted),
    90_000
  )

  it(
    "are not posted for a person who lost the right while the request waited for the service",
    () =>
      withRealStack(
        async ({ ask, emulator, firstThread, link, proxy, you }) => {
          const asked = await you.command(emulator.channelId, "task new", { prompt: "write report.md one\necho made" })
          await link(await asked.settled())
          const { shows, thread } = await firstThread(20_000)
          await shows(/made[^]*Files of this answer[^]*done ·/)
          const friend = emulator.user("Friend")
          await ask("task share", { member: "Friend", may: "reply" }, thread.id)
          const card = emulator.messages(thread.id).find(({ embeds }) => /Files of/.test(embeds[0]?.title ?? ""))!
          const always = buttonsOf(card).find(({ custom_id: id }) => id.endsWith(":always"))!

          let held = 0
          let release: (fate: "pass") => void = () => undefined
          const released = new Promise<"pass">((resolve) => (release = resolve))
          proxy.state.fate = (_, path) => (path.includes("/tasks/") ? (held++, released) : "pass")
          await friend.press(thread.id, card.id, always.custom_id)
          await emulator.waitFor(() => held > 0, { what: "the request to wait" })
          await ask("task unshare", { member: "Friend" }, thread.id)
          release("pass")
          await emulator.waitFor(
            () => friend.ephemerals(thread.id).some(({ content }) => /belongs to <@/.test(content)),
            {
              what: "the refusal",
              timeoutMs: 20_000
            }
          )
          assert.notMatch(emulator.transcript(thread.id), /every further answer/)
          await you.send(thread.id, "write next.md two\necho next")
          await shows(/next\.md · 3 B · new[^]*done ·/)
        },
        { ...scripted, emulator: { users: ["You", "Friend"] } }
      ),
    60_000
  )

  it(
    "are a card also when the turn ended while the bot was away",
    () =>
      withRealStack(async ({ emulator, firstThread, folder, link, startBot, stopBot, you }) => {
        const asked = await you.command(emulator.channelId, "task new", { prompt: "write early.md x\necho early" })
        await link(await asked.settled())
        const { shows, thread } = await firstThread(20_000)
        await shows(/early\.md · 1 B · new[^]*done ·/)
        await you.send(thread.id, "echo begun\nwait 1500\nwrite late.md x")
        await shows(/\[bot\]: begun/)
        await stopBot()
        const sandboxes = join(folder, "server", "sandboxes")
        const [task = ""] = readdirSync(sandboxes)
        await emulator.waitFor(() => existsSync(join(sandboxes, task, "late.md")), {
          what: "the end",
          timeoutMs: 20_000
        })
        await startBot()
        const end = await shows(/late\.md · 1 B · new[^]*done ·/)
        assert.lengthOf(end.match(/early\.md ·/g) ?? [], 1)
      }, scripted),
    90_000
  )
})
