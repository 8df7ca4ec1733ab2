import { assert, describe, it } from "@effect/vitest"
import type { Task } from "../support/FakeAgent.ts"
import { among } from "../support/People.ts"
import { buttonsOf } from "../support/Stack.ts"

const task = (id: string, name: string, more: Partial<Task> = {}): Task => ({
  id,
  name,
  prompt: "",
  status: "completed",
  journal: [],
  artifacts: new Map(),
  connections: new Map(),
  attached: new Set(),
  pending: new Map(),
  cancel: () => {},
  ...more
})

/** What a session holds after these words of user and agent, one after the other. */
const journal = (sessionId: string, ...words: ReadonlyArray<string>) =>
  words.map((text, n) => ({
    sessionId,
    update: {
      sessionUpdate: n % 2 === 0 ? "user_message_chunk" : "agent_message_chunk",
      messageId: `m${n}`,
      content: { type: "text", text }
    }
  }))

describe("tasks, from any channel", () => {
  it("are listed by page over a restart, suggested by name, opened in a thread, and stopped", () => {
    let cancelled = () => {}
    const stopped = new Promise<void>((resolve) => (cancelled = resolve))
    return among(
      async ({ emulator, service, shows, startBot, stopBot }, { Friend: friend, Owner: owner }) => {
        for (let n = 1; n <= 23; n++) service.tasks.set(`t${n}`, task(`t${n}`, `Task *${n}*`))
        const words = ["one?", "the first answer", "two?", "the second answer"]
        service.tasks.set("old", task("old", "Old work", { journal: journal("old", ...words) }))
        const { channelId } = emulator

        const asked = await (await owner.command(channelId, "task list")).settled()
        const list = () => owner.ephemerals(channelId).find(({ id }) => id === asked.id)!
        const turnTo = async (button: number, text: string) => {
          await owner.press(channelId, asked.id, buttonsOf(list())[button]!.custom_id)
          await emulator.waitFor(() => list().embeds[0]?.footer?.text === text, { what: text })
        }
        assert.strictEqual(list().embeds[0]?.footer?.text, "Page 1 of 3 · 24 in all")
        assert.match(list().embeds[0]?.description ?? "", /^- \*\*Task 1\*\* · completed · started <t:\d+:R>\n/)
        await turnTo(0, "Page 2 of 3 · 24 in all")
        await stopBot()
        await startBot()
        await turnTo(1, "Page 3 of 3 · 24 in all")
        for (let n = 1; n <= 15; n++) service.tasks.delete(`t${n}`)
        // The page before is gone by now, so the last one there is comes.
        await owner.press(channelId, asked.id, buttonsOf(list())[0]!.custom_id)
        await emulator.waitFor(() => list().embeds[0]?.footer === undefined, { what: "one page" })

        const typed = (who: typeof owner, text: string) =>
          who.autocomplete(channelId, "task open", { task: text }, "task")
        assert.deepEqual(await typed(owner, "old"), [{ name: "Old work · completed", value: "old" }])
        assert.strictEqual((await typed(owner, "")).length, 9)
        assert.deepEqual(await typed(friend, ""), [])

        const opened = await owner.command(channelId, "task open", { task: "old" })
        const thread = await emulator.waitFor((e) => e.threads()[0], { what: "a thread" })
        const transcript = await shows(thread.id, /the second answer[^]*done ·/)
        assert.notInclude(transcript, "the first answer")
        assert.match(transcript, /opened a task here: \*\*Old work\*\*[^]*Only <@\d+> may write to it/)
        assert.include((await opened.settled()).content, thread.id)
        await owner.send(thread.id, "go on")
        await shows(thread.id, /Working on go on/)
        const again = await (await owner.command(channelId, "task open", { task: "old" })).settled()
        assert.strictEqual(again.content, `This task has its thread: <#${thread.id}>.`)
        assert.strictEqual(emulator.threads().length, 1)
        const elsewhere = await (await friend.command(channelId, "task status", { task: "old" })).settled()
        assert.match(elsewhere.content, /belongs to <@\d+>/)

        const status = await (await owner.command(channelId, "task status", { task: "old" })).settled()
        assert.match(status.content, new RegExp(`Old work.*working[^]*<#${thread.id}>`))
        const stop = await (await owner.command(channelId, "task stop", { task: "old" })).settled()
        assert.strictEqual(stop.content, "The agent is asked to stop. Its answer says when it has.")
        await stopped
        await shows(thread.id, /stopped ·/)

        // A task that was started outside Discord, in the middle of an answer.
        let end = () => {}
        service.state.runAtOnce = async (turn) => {
          turn.say("Half of it, ")
          await new Promise<void>((resolve) => (end = resolve))
          turn.say("and the rest.")
          return "end_turn"
        }
        const created = await fetch(`${service.url}/openapi/v2/tasks`, {
          method: "POST",
          headers: { authorization: `Bearer ${service.state.token}` },
          body: JSON.stringify({ prompt: "elsewhere" })
        })
        const { task_id: busy } = (await created.json()) as { task_id: string }
        await owner.command(channelId, "task open", { task: busy })
        const second = await emulator.waitFor((e) => e.threads()[1], { what: "another thread" })
        await shows(second.id, /Half of it/)
        end()
        await shows(second.id, /Half of it, and the rest\.[^]*done ·/)
        assert.isFalse(service.prompts.includes(""))

        const idle = await (await owner.command(channelId, "task stop", { task: "t20" })).settled()
        assert.strictEqual(idle.content, "Nothing is running here.")
        const unknown = await (await owner.command(channelId, "task open", { task: "nothing" })).settled()
        assert.match(unknown.content, /does not know/)
        const nowhere = await (await owner.command(channelId, "task status")).settled()
        assert.match(nowhere.content, /There is no task in this thread/)
      },
      async (turn) => {
        turn.say(`Working on ${turn.text}.`)
        await turn.cancelled
        cancelled()
        return "cancelled"
      }
    )
  }, 60_000)
})
