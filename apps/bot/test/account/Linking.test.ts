import { assert, describe, it } from "@effect/vitest"
import { parse } from "node-html-parser"
import { setRule } from "../support/Settings.ts"
import { buttonsOf, codeOf, confirm, linkOf, press, type Stack, startStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

const stacked = async (use: (stack: Stack) => Promise<void>, options?: Parameters<typeof startStack>[1]) => {
  const stack = await startStack(echo, options)
  try {
    await use(stack)
  } finally {
    await stack.close()
  }
}

const textOf = (html: string) => parse(html).querySelector("main")?.structuredText ?? ""

describe("linking an account", () => {
  it("protects a victim who signs in through an attacker's link", () =>
    stacked(async ({ emulator, service }) => {
      const attacker = emulator.user("Sam")
      const asked = await (await attacker.command(emulator.channelId, "connect")).settled()
      const press = async () => attacker.press(emulator.channelId, asked.id, "c2:code")
      const form = await press()
      const say = async (code: string) => (await attacker.submit(form, { code })).settled()

      const besides = () => attacker.ephemerals().at(-1)!

      await say("AAAA-AAAA")
      assert.match(besides().content, /No account waits for a code/)
      assert.notStrictEqual(besides().id, asked.id, "the link stays where it is")
      const page = await (await fetch(linkOf(asked))).text()
      const shown = textOf(page)
      assert.include(shown, "@Sam")
      assert.match(shown, /did someone else send you this link\? Then close this page/)
      const code = codeOf(page)
      assert.match(code, /^[A-HJ-NP-Z2-9]{4}-[A-HJ-NP-Z2-9]{4}$/)

      for (const left of ["4 times", "3 times", "2 times", "once"]) {
        assert.include((await say("AAAA-AAAA")).content, `you can try ${left} more`)
      }
      const over = await say("AAAA-AAAA")
      assert.strictEqual(over.id, asked.id)
      assert.match(over.content, /thrown away\. Nothing was connected/)
      assert.deepStrictEqual(
        buttonsOf(over).map((button) => button.custom_id),
        ["c1:connect"]
      )
      await say(code)
      assert.match(besides().content, /No account waits for a code/)
      assert.notInclude(service.requests, "POST /openapi/v2/token", "nothing of the victim was ever exchanged")
      const credit = await (await attacker.command(emulator.channelId, "credit")).settled()
      assert.match(credit.content, /not connected/)
      assert.match(textOf(await (await fetch(linkOf(asked))).text()), /This link cannot be used/)
    }))

  it("accepts the code once and only from the link's person, also after a kill at each step", () =>
    stacked(async ({ emulator, service, startBot, stopBot, shows, you }) => {
      const asked = await (await you.command(emulator.channelId, "task new", { prompt: "hello" })).settled()
      const restart = async () => {
        await stopBot()
        return (await startBot()).callback
      }
      const answer = (await fetch(linkOf(asked), { redirect: "manual" })).headers.get("location") ?? ""
      const { search } = new URL(answer)
      const code = codeOf(await (await fetch(`${await restart()}${search}`)).text())
      const again = codeOf(await (await fetch(`${await restart()}${search}`)).text())
      assert.isNotEmpty(code)
      assert.strictEqual(again, code, "a reload of the page shows the same code")

      const sam = emulator.user("Sam")
      const theirs = await (await sam.command(emulator.channelId, "connect")).settled()
      const foreign = await sam.submit(await sam.press(emulator.channelId, theirs.id, "c2:code"), { code })
      await foreign.settled()
      assert.match(sam.ephemerals().at(-1)?.content ?? "", /No account waits for a code/)

      const form = await you.press(emulator.channelId, asked.id, "c2:code")
      const typed = code.toLowerCase().replace("-", " ")
      const both = await Promise.all([you.submit(form, { code: typed }), you.submit(form, { code: typed })])
      await Promise.all(both.map((each) => each.settled()))
      assert.strictEqual(service.requests.filter((each) => each === "POST /openapi/v2/token").length, 1)
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "the thread" })
      await shows(thread.id, /answer to hello/)
      const told = you.ephemerals().map(({ content }) => content)
      assert.deepStrictEqual(
        // The second one found no request left, and says so where the first was already complete.
        told.filter((words) => !words.startsWith("No account waits")),
        [`Your task is running in <#${thread.id}>.`]
      )
    }))

  it.for([
    ["access_denied", /^You chose not to allow it on the page/],
    ["server_error", /^The sign-in on the page did not succeed/]
  ] as const)("shows at once on the link's answer that it ended with %s, and offers another", ([error, words]) =>
    stacked(async ({ emulator, shows, you }) => {
      const asked = await (await you.command(emulator.channelId, "task new", { prompt: "hello" })).settled()
      const now = () => you.ephemerals().find(({ id }) => id === asked.id)!
      const answer = (await fetch(linkOf(asked), { redirect: "manual" })).headers.get("location") ?? ""
      const refusal = new URL(answer)
      refusal.searchParams.delete("code")
      refusal.searchParams.set("error", error)
      for (let times = 0; times < 2; times++) await (await fetch(refusal)).text()
      assert.match(now().content, words)
      assert.lengthOf(buttonsOf(now()), 1)
      const again = await (await you.press(emulator.channelId, asked.id, buttonsOf(now())[0]!.custom_id)).settled()
      const said = await confirm(emulator, again)
      assert.match(said.content, /^Your account is connected\. Your earlier request continues now/)
      const thread = await emulator.waitFor((e) => e.threads()[0], { what: "the thread" })
      await shows(thread.id, /answer to hello/)
      assert.include(now().content, thread.id)
      assert.lengthOf(you.ephemerals(), 1)
    })
  )

  it("shows names unchanged, including special characters", () =>
    stacked(
      async ({ emulator }) => {
        const asked = await (await emulator.user("<b>&eve").command(emulator.channelId, "connect")).settled()
        const page = await (await fetch(linkOf(asked))).text()
        assert.include(textOf(page), "@<b>&eve")
        assert.notInclude(page, "<b>&eve")
      },
      { emulator: { users: ["You", "<b>&eve"] } }
    ))

  it("requests all scopes of a new person's command at once, and ends the private cards that asked", () =>
    stacked(async ({ emulator, service, you }) => {
      const plain = await (await you.command(emulator.channelId, "connect")).settled()
      const first = await you.command(emulator.channelId, "redeem code")
      const card = await first.settled()
      assert.match(card.content, /not connected/)
      const asked = await press(you, card)
      assert.match(
        asked.content,
        /see your profile, see your credits, see your tasks, run tasks for you, redeem codes for you\./
      )
      assert.include(new URL(linkOf(asked)).searchParams.get("scope") ?? "", "user.credit.exchange")

      const form = await you.press(emulator.channelId, asked.id, "c2:code")
      const code = codeOf(await (await fetch(linkOf(asked))).text())
      const nearly = await (await you.submit(form, { code: "AAAA-AAAA" })).settled()
      assert.match(nearly.content, /you can try 4 times more/)
      const done = await (await you.submit(form, { code })).settled()
      assert.strictEqual(
        done.content,
        "✅ Your account is connected. This bot may now redeem codes for you. Use your command again."
      )
      assert.strictEqual((await you.command(emulator.channelId, "redeem code")).type, "modal")
      assert.strictEqual(
        service.requests.filter((each) => each === "GET /openapi/v2/authorize").length,
        1,
        "one consent"
      )
      assert.strictEqual(nearly.id, asked.id)
      assert.deepStrictEqual(
        you.ephemerals().map(({ id, content }) => ({ id, content })),
        [{ id: asked.id, content: done.content }],
        "it is said once, and nothing is offered that is over"
      )
      assert.notStrictEqual(plain.id, card.id)
    }))

  it("promises nothing that new rules of the server refuse", () =>
    stacked(
      async ({ emulator, service }) => {
        const member = emulator.user("Member")
        const waiting = await (await member.command(emulator.channelId, "task new", { prompt: "later" })).settled()
        await setRule(emulator, emulator.user("Admin"), "deny", "start")
        const said = await confirm(emulator, waiting, undefined, member)
        assert.match(said.content, /^Your account is connected\. Your earlier request continues now/)
        const card = () => member.ephemerals().find(({ id }) => id === waiting.id)
        await emulator.waitFor(() => /settings of this server do not let you/.test(card()?.content ?? ""), {
          what: "what came of it in its own message"
        })
        assert.isEmpty(buttonsOf(card()!))
        assert.isEmpty(service.prompts)
      },
      { emulator: { users: ["Admin", "Member"] } }
    ))

  it("requests exactly the missing scopes of a command, and keeps the granted ones", () =>
    stacked(async ({ emulator, you }) => {
      const asked = await (await you.command(emulator.channelId, "connect")).settled()
      await confirm(emulator, asked)
      const lacking = await (await you.command(emulator.channelId, "redeem code")).settled()
      assert.match(lacking.content, /needs your permission to redeem codes for you/)
      const [allow] = buttonsOf(lacking)
      const more = await press(you, lacking, allow!.custom_id)
      assert.deepEqual(new URL(linkOf(more)).searchParams.get("scope")?.split(" ").toSorted(), [
        "user.credit.exchange",
        "user.credit.readable",
        "user.profile.readable",
        "user.task.invokable",
        "user.task.readable"
      ])
      const allowed = await confirm(emulator, more)
      assert.strictEqual(allowed.content, "This bot may now redeem codes for you. Use your command again.")
      const both = await (await you.command(emulator.channelId, "assistant status")).settled()
      const consent = await press(you, both)
      assert.match(
        new URL(linkOf(consent)).searchParams.get("scope") ?? "",
        /localassistant\.readable.*localassistant\.invokable|localassistant\.invokable.*localassistant\.readable/
      )
    }))

  it("shows the outcome in the private answers that asked, and leaves the controls' messages unchanged", () =>
    stacked(async ({ emulator, service, you }) => {
      const now = (id: string) => you.ephemerals().find((message) => message.id === id)!
      const asksAgain = async (card: Parameters<typeof buttonsOf>[0] & { readonly id: string }) =>
        (await you.press(emulator.channelId, card.id, buttonsOf(card)[0]!.custom_id)).settled()
      const list = await (await you.command(emulator.channelId, "task list")).settled()
      assert.match(list.content, /not connected/)
      const connected = await confirm(emulator, await asksAgain(list))
      assert.deepStrictEqual(
        you.ephemerals().map(({ id }) => id),
        [connected.id]
      )

      const lacking = await (await you.command(emulator.channelId, "verify-phone")).settled()
      const more = await asksAgain(lacking)
      const code = codeOf(await (await fetch(linkOf(more))).text())
      service.state.scope = service.state.scope.replace(/[ ,]user\.contact\.readable/, "")
      const form = await you.press(emulator.channelId, more.id, "c2:code")
      const refused = await (await you.submit(form, { code })).settled()
      assert.match(refused.content, /You have not allowed this bot to check whether a phone number is yours/)
      assert.deepStrictEqual([more.id, refused.id], [lacking.id, lacking.id])

      for (let n = 0; n < 12; n++) {
        service.tasks.set(`t-${n}`, { id: `t-${n}`, name: `Task ${n}`, status: "idle" } as never)
      }
      const pages = await (await you.command(emulator.channelId, "task list")).settled()
      service.state.refuseTokens = true
      await you.press(emulator.channelId, pages.id, buttonsOf(pages).at(-1)!.custom_id)
      const besides = await emulator.waitFor(
        () => you.ephemerals().find(({ content }) => /no longer accepts the connection/.test(content)),
        { what: "what is said besides the list" }
      )
      await confirm(emulator, await asksAgain(besides))
      assert.match(now(besides.id).content, /Your account is connected\. Waiting work continues by itself/)
      assert.isEmpty(buttonsOf(now(besides.id)))
      assert.match(now(pages.id).embeds[0]?.title ?? "", /Your tasks/)
      assert.isNotEmpty(buttonsOf(now(pages.id)))
    }))
})
