import { assert, describe, it } from "@effect/vitest"
import { scriptedAgent } from "@heddle/test-support/Agents"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type RealStack, withRealStack } from "../support/RealStack.ts"
import { rest } from "../support/Rest.ts"
import { buttonsOf, press } from "../support/Stack.ts"
import { runAssistant } from "../support/RunAssistant.ts"

/** An agent that does what the message says. */
const agent = [process.execPath, scriptedAgent]

const chat = async (stack: RealStack) => {
  const { emulator, you } = stack
  const opened = await stack.ask("assistant chat")
  const thread = /<#(\d+)>/.exec(opened.content)?.[1] ?? ""
  return {
    thread,
    shows: (words: RegExp) =>
      emulator.waitFor((e) => words.test(e.transcript(thread)) && e.transcript(thread), {
        what: String(words),
        timeoutMs: 30_000
      }),
    send: (words: string) => you.send(thread, words)
  }
}

describe("/assistant", () => {
  it(
    "reports an offline assistant, sends, lists, and chats in a private thread over restarts, each reply once",
    () =>
      withRealStack(async (stack) => {
        const { emulator, startBot, stopBot, you } = stack
        await stack.allow("assistant chat")
        assert.match((await stack.ask("assistant status")).content, /offline/)
        assert.match((await stack.ask("assistant send", { message: "anyone?" })).content, /was not delivered/)
        assert.match((await stack.ask("assistant history")).embeds[0]?.description ?? "", /There are no messages/)

        await runAssistant(stack, agent)
        assert.match((await stack.ask("assistant status")).content, /online/)
        const { send, shows, thread } = await chat(stack)
        const outsider = await emulator
          .user("Sam")
          .send(thread, "let me in")
          .catch(() => "unseen")
        assert.strictEqual(outsider, "unseen", "nobody else sees it")
        assert.match((await stack.ask("assistant chat")).content, new RegExp(thread), "the same one again")
        await send("echo one")
        await shows(/\]: one/)
        await stopBot()
        await send("echo two")
        await startBot()
        await send("echo three")
        const all = await shows(/\]: one[^]*\]: two[^]*\]: three/)
        assert.lengthOf(all.match(/\[bot\]: (one|two|three)$/gm) ?? [], 3, all)

        const page = await stack.ask("assistant history")
        assert.match(page.embeds[0]?.description ?? "", /three[^]*echo three/)
        const [older] = buttonsOf(page)
        await you.press(emulator.channelId, page.id, older!.custom_id)
        await emulator.waitFor(
          () => you.ephemerals().some(({ embeds, id }) => id === page.id && embeds[0]?.footer?.text === "page 2"),
          { what: "the next page" }
        )

        await stack.ask("disconnect")
        await send("echo four")
        const away = await shows(/Your account is not connected\. Nothing was changed or charged\./)
        assert.notMatch(away, /no longer accepts/)
      }),
    60_000
  )

  it("answers the assistant's questions where the service supports it, and says so otherwise", async () => {
    for (const permissionResponse of ["accept", "reject"] as const) {
      await withRealStack(
        async (stack) => {
          const { emulator, you } = stack
          await stack.allow("assistant chat")
          await runAssistant(stack, agent)
          const { send, shows, thread } = await chat(stack)
          await send("ask Write report.md")
          if (permissionResponse === "reject") {
            await shows(/can only be answered on your computer/)
            return
          }
          await shows(/The assistant asks[^]*Choose below/)
          const card = emulator.messages(thread).findLast((message) => (message.components ?? []).length > 0)!
          const list = buttonsOf(card)[0]!.custom_id
          await you.select(thread, card.id, list, ["0"])
          await shows(/➤ Allow[^]*Answered\. The assistant goes on/)
          await shows(/answer \{"outcome":"selected","optionId":"yes"\}/)

          await send("ask Write secret.md")
          await shows(/Write secret\.md[^]*Choose below/)
          const next = emulator.messages(thread).findLast((message) => (message.components ?? []).length > 0)!
          // A moderator adds a person, and the chat ends. Its question still belongs to the owner.
          const sam = emulator.user("Sam")
          await rest(emulator, "PUT", `/channels/${thread}/thread-members/${sam.id}`)
          for (const locked of [true, false]) await rest(emulator, "PATCH", `/channels/${thread}`, { locked })
          await sam.select(thread, next.id, buttonsOf(next)[0]!.custom_id, ["0"])
          const refused = await emulator.waitFor(() => sam.ephemerals(thread).at(-1)?.content, { what: "a refusal" })
          assert.match(refused, /only they can write to it\. Nothing was sent/)
          const other = { name: "other", password: Redacted.make("another long password") }
          await stack.run(Effect.orDie(stack.server.accounts.ensure({ credits: 7, ...other })))
          const lacking = await stack.ask("verify-phone")
          const asked = await you.press(emulator.channelId, lacking.id, buttonsOf(lacking)[0]!.custom_id)
          const question = await stack.link(await asked.settled(), other)
          await press(you, question)
          await you.select(thread, next.id, buttonsOf(next)[0]!.custom_id, ["0"])
          await shows(/assistant of another account[^]*Nothing was sent\.[^]*Write secret\.md/)
        },
        { emulator: { users: ["Ada", "Sam"] }, server: { contract: { permissionResponse } } }
      )
    }
  }, 90_000)
})
