import { assert, describe, it } from "@effect/vitest"
import * as GroupCommit from "@heddle/bot/store/database/GroupCommit"
import { prune } from "@heddle/bot/store/database/Pruning"
import * as EncryptionKey from "@heddle/oauth/EncryptionKey"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import Database from "better-sqlite3"
import { join } from "node:path"
import { signIn } from "@heddle/bot/local/SignIn"
import { type RealStack, withRealStack } from "../support/RealStack.ts"
import { buttonsOf, confirm, press, withStack } from "../support/Stack.ts"
import { echo, workUntilCancelled } from "../support/Agents.ts"

const other = { name: "other", password: Redacted.make("another long password") }

const replaceOf = (question: Parameters<typeof buttonsOf>[0]) => buttonsOf(question)[0]!.custom_id
const keepOf = (question: Parameters<typeof buttonsOf>[0]) => buttonsOf(question)[1]!.custom_id
const third = { name: "third", password: Redacted.make("another long password") }

/** Signs in to an account to allow what a command lacks; gives the question that the bot then asks. */
const signInAs = async ({ ask, emulator, link, you }: RealStack, who: typeof other) => {
  const lacking = await ask("verify-phone")
  const asked = await you.press(emulator.channelId, lacking.id, buttonsOf(lacking)[0]!.custom_id)
  return link(await asked.settled(), who)
}

/** Connects the account of the person, beside which the service has the other one. */
const connectBesideOther = async ({ ask, link, run, server }: RealStack) => {
  await run(Effect.orDie(server.accounts.ensure({ credits: 7, ...other })))
  await link(await ask("connect"))
}

describe.concurrent("a different account", { timeout: 60_000 }, () => {
  it("replaces the connected one only after a click, ends the old grant, and receives none of its work", () =>
    withRealStack(async (stack) => {
      const { ask, emulator, link, proxy, run, server, you } = stack
      await run(Effect.orDie(server.accounts.ensure({ credits: 7, ...other })))
      const left = async () => /\*\*([\d,]+)\*\* left/.exec((await ask("credit")).embeds[0]?.description ?? "")?.[1]
      const revoked = (count: number) =>
        emulator.waitFor(() => proxy.state.seen.filter(({ path }) => path === "/openapi/v2/revoke").length === count, {
          what: `${count} revocations`
        })
      const signedInAsOther = async () => {
        const lacking = await ask("verify-phone")
        const asked = await you.press(emulator.channelId, lacking.id, buttonsOf(lacking)[0]!.custom_id)
        return link(await asked.settled(), other)
      }
      await stack.allow("redeem code")
      const [typed] = await run(server.redemptionCodes.create({ credits: 50 }))
      const code = Redacted.value(typed!)
      proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "refuse" : "pass")
      await you.submit(await you.command(emulator.channelId, "redeem code"), { code })
      await stack.waitForPrivateText(/It is not known yet whether this was redeemed/)

      const question = await signedInAsOther()
      assert.match(question.content, /This is another account.* would be replaced/)
      assert.match(question.content, /Whether \*\*a code was redeemed\*\* is not known yet/)
      assert.strictEqual(await left(), "1,000", "nothing was replaced yet")
      const kept = await press(you, question, keepOf(question))
      assert.match(kept.content, /the account that you had stays connected/)
      assert.isEmpty(buttonsOf(kept))
      await revoked(1)
      assert.strictEqual(await left(), "1,000")

      const again = await signedInAsOther()
      await stack.stopBot()
      await stack.startBot()
      proxy.state.fate = (_, path) =>
        path.endsWith("/redemptions") ? "refuse" : path.endsWith("/revoke") ? "hold" : "pass"
      const replaced = await press(you, again, replaceOf(again))
      assert.match(replaced.content, /is connected now\. I have no access to the one before any more/)
      await revoked(2)
      await stack.stopBot()
      proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "refuse" : "pass")
      await stack.startBot()
      await revoked(3)
      assert.strictEqual(await left(), "7")
      proxy.state.fate = () => "pass"
      await stack.waitForPrivateText(/On the account that is connected now nothing was redeemed/)
      assert.strictEqual(await left(), "7")
      assert.isEmpty(
        proxy.state.seen.filter(({ path }) => path.endsWith("/redemptions")),
        "nothing was sent for the other account"
      )

      const bye = await ask("disconnect")
      assert.match(bye.content, /the service has ended it/)
      await revoked(4)
    }))

  it("is connected only by the card that names it; repeated presses show the same result", () =>
    withRealStack(async (stack) => {
      const { ask, emulator, folder, link, run, server, you } = stack
      await run(Effect.orDie(server.accounts.ensure({ credits: 7, ...other })))
      await run(Effect.orDie(server.accounts.ensure({ credits: 9, ...third })))
      await link(await ask("connect"))
      const left = async () => /\*\*([\d,]+)\*\* left/.exec((await ask("credit")).embeds[0]?.description ?? "")?.[1]
      const signedInAs = async (who: typeof other) => {
        return { question: await signInAs(stack, who) }
      }
      const now = (id: string) => you.ephemerals().find((message) => message.id === id)!
      const stale = await signedInAs(third)
      // As after a quarter of an hour: the card cannot be changed any more.
      await stack.stopBot()
      const database = new Database(join(folder, "bot", "bot.sqlite"))
      database.exec("DELETE FROM open_cards")
      database.close()
      await stack.startBot()
      const first = await signedInAs(other)
      const late = [replaceOf(stale.question), keepOf(stale.question)].map(async (id) =>
        (await you.press(emulator.channelId, stale.question.id, id)).settled()
      )
      for (const { content } of await Promise.all(late)) assert.match(content, /This question is over/)
      assert.strictEqual(await left(), "1,000")
      const second = await signedInAs(third)
      assert.match(now(first.question.id).content, /another private message asks/)
      assert.isEmpty(buttonsOf(now(first.question.id)))

      const presses = [replaceOf(second.question), keepOf(second.question), replaceOf(second.question)].map(
        async (id) => (await you.press(emulator.channelId, second.question.id, id)).settled()
      )
      for (const { content } of await Promise.all(presses)) assert.notMatch(content, /This question is over/)
      const credits = await left()
      assert.match(
        now(second.question.id).content,
        credits === "9" ? /\*\*third\*\* is connected now/ : /the account that you had stays connected/
      )
      if (credits === "9") assert.isUndefined(now(first.question.id), "it is said once")
      else assert.match(now(first.question.id).content, /stays connected/)
    }))

  it("is connected completely or not at all", () =>
    withRealStack(async (stack) => {
      const { ask, emulator, folder, link, proxy, you } = stack
      await connectBesideOther(stack)
      const left = async () => /\*\*([\d,]+)\*\* left/.exec((await ask("credit")).embeds[0]?.description ?? "")?.[1]
      const revocations = () => proxy.state.seen.filter(({ path }) => path.endsWith("/revoke")).length
      const onFile = <A>(use: (database: Database.Database) => A) => {
        const database = new Database(join(folder, "bot", "bot.sqlite"))
        try {
          return use(database)
        } finally {
          database.close()
        }
      }
      const signedInAsOther = async () => {
        const lacking = await ask("verify-phone")
        const asked = await you.press(emulator.channelId, lacking.id, buttonsOf(lacking)[0]!.custom_id)
        return link(await asked.settled(), other)
      }
      await signedInAsOther()
      const question = await signedInAsOther()
      await stack.stopBot()
      onFile((database) =>
        database.exec(`CREATE TRIGGER dies BEFORE DELETE ON oauth_grants WHEN OLD.id LIKE 'offered%'
            BEGIN SELECT RAISE(ABORT, 'here'); END`)
      )
      await stack.startBot()
      await you.press(emulator.channelId, question.id, replaceOf(question))
      await emulator.waitFor(
        () => you.ephemerals().find(({ content }) => /Something went wrong in the bot/.test(content)),
        {
          what: "the words about the failure"
        }
      )
      assert.strictEqual(await left(), "1,000")
      await stack.stopBot()
      onFile((database) => database.exec("DROP TRIGGER dies"))
      await stack.startBot()
      const replaced = await press(you, question, replaceOf(question))
      assert.match(replaced.content, /is connected now/)
      await emulator.waitFor(() => revocations() > 0, { what: "the end of the one before" })
      assert.strictEqual(revocations(), 1, "what the new one could end with is only forgotten")
      assert.strictEqual(await left(), "7")
    }))

  it("ends the old account's use at once, without a wait for a slow service", () =>
    withRealStack(
      async (stack) => {
        const { ask, emulator, link, proxy, run, server, you } = stack
        await run(Effect.orDie(server.accounts.ensure({ credits: 7, ...other })))
        await run(Effect.orDie(server.accounts.ensure({ credits: 9, ...third })))
        await link(await ask("connect"))
        const sam = emulator.user("Sam")
        const linkOfSam = await (await sam.command(emulator.channelId, "connect")).settled()
        await confirm(emulator, linkOfSam, (url) => Effect.runPromise(signIn(url, third)), sam)
        const question = await signInAs(stack, other)
        proxy.state.fate = (_, path) => (path.endsWith("/revoke") ? "hold" : "pass")
        const kept = await press(you, question, keepOf(question))
        assert.match(kept.content, /stays connected/)
        const byes = await Promise.all(
          [you, sam].map(async (who) => (await who.command(emulator.channelId, "disconnect")).settled())
        )
        for (const { content } of byes) assert.match(content, /The service has not confirmed this yet/)
        assert.match((await ask("credit")).content, /not connected/)
      },
      { emulator: { users: ["Ada", "Sam"] } }
    ))

  it("retries the revocation until the service has confirmed it, also after a restart", () =>
    withRealStack(async (stack) => {
      const { ask, emulator, folder, proxy, you } = stack
      await connectBesideOther(stack)
      const question = await signInAs(stack, other)
      let refused = 0
      proxy.state.fate = (_, path) => (path.endsWith("/revoke") ? (refused++, "refuse") : "pass")
      const replaced = await press(you, question, replaceOf(question))
      assert.match(replaced.content, /is connected now/)
      await emulator.waitFor(() => refused > 1, { what: "a second try" })
      assert.match((await ask("disconnect")).content, /I try again until it does/)
      await stack.stopBot()
      await stack.startBot()
      proxy.state.fate = () => "pass"
      const database = new Database(join(folder, "bot", "bot.sqlite"), { readonly: true })
      const left = () => database.prepare("SELECT grant_id FROM grants_to_end UNION SELECT id FROM oauth_grants").all()
      try {
        await emulator.waitFor(() => left().length === 0, { what: "the end of both grants", timeoutMs: 20_000 })
      } finally {
        database.close()
      }
      const revoked = proxy.state.seen.flatMap(({ body, path }) => (path.endsWith("/revoke") ? [body] : []))
      assert.lengthOf(new Set(revoked), 2)
    }))

  it("ends the chat with the previous account's assistant", () =>
    withRealStack(async (stack) => {
      const { allow, ask, emulator, run, server, you } = stack
      await run(Effect.orDie(server.accounts.ensure({ credits: 7, ...other })))
      await allow("assistant chat")
      const threadOf = async () => /<#(\d+)>/.exec((await ask("assistant chat")).content)?.[1] ?? ""
      const thread = await threadOf()
      const question = await signInAs(stack, other)
      await press(you, question, replaceOf(question))
      await you.send(thread, "a secret for my own computer")
      await emulator.waitFor(
        (e) => /assistant of another account[^]*Unsent messages are dropped/.test(e.transcript(thread)),
        {
          what: "the end of the chat"
        }
      )
      assert.notStrictEqual(await threadOf(), thread)
    }))

  it("starts no task that was requested on the previous account", () =>
    withStack(echo, async ({ emulator, service, you }) => {
      service.state.refuseTokens = true
      const asked = await you.command(emulator.channelId, "task new", { prompt: "for the first" })
      const card = await asked.settled()
      assert.match(card.content, /needs to be connected again/)
      service.state.openId = "o-2"
      const link = await press(you, card)
      const question = await confirm(emulator, link)
      assert.match(question.content, /This is another account/)
      const replaced = await press(you, question, replaceOf(question))
      assert.match(replaced.content, /is connected now/)
      const told = await emulator.waitFor(
        () => you.ephemerals().find(({ content }) => /was not started/.test(content)),
        { what: "the words about the task" }
      )
      assert.match(told.content, /no longer the connected one\. Nothing was charged/)
      assert.isEmpty(service.prompts)
      assert.strictEqual(service.tasks.size, 0)
    }))

  it("reports what happened to the previous account's work", () =>
    withStack(workUntilCancelled, async ({ emulator, service, shows, start, you }) => {
      await shows(await start("long"), /working/)
      service.state.openId = "o-2"
      const lacking = await (await you.command(emulator.channelId, "verify-phone")).settled()
      const asked = await you.press(emulator.channelId, lacking.id, buttonsOf(lacking)[0]!.custom_id)
      const question = await confirm(emulator, await asked.settled())
      assert.match(question.content, /One of your tasks is at work/)
      const replaced = await press(you, question, replaceOf(question))
      assert.match(replaced.content, /is connected now\. .*One task was stopped\.$/)
    }))
})

describe.concurrent("/disconnect", () => {
  it("asks first while tasks run or are shared, and names what stops", () =>
    withStack(workUntilCancelled, async ({ emulator, shows, start, you }) => {
      const thread = await start("long")
      await shows(thread, /working/)
      await (await you.command(thread, "task share", { member: "Sam", may: "reply" })).settled()
      const ask = async () => (await you.command(emulator.channelId, "disconnect")).settled()
      const question = await ask()
      assert.match(question.content, /Disconnect your account\?[^]*One of your tasks is at work[^]*You let others use/)
      const kept = await press(you, question, "c4:keep")
      assert.match(kept.content, /stays connected/)
      const credit = await (await you.command(emulator.channelId, "credit")).settled()
      assert.match(JSON.stringify(credit.embeds), /750/)
      const late = await ask()
      const gone = await (await you.press(emulator.channelId, (await ask()).id, "c4:disconnect")).settled()
      assert.match(gone.content, /^Disconnected\. [^]*The service was not told/)
      assert.isEmpty(buttonsOf(gone))
      const lie = await press(you, late, "c4:keep")
      assert.match(lie.content, /^Your account is not connected/)
      assert.match((await ask()).content, /not connected/)
    }))
})

describe.concurrent("a reply token", () => {
  it("is stored encrypted, and deleted after it expires", () =>
    withStack(
      async () => "end_turn",
      async ({ dataDir, emulator, start }) => {
        await start("one")
        const file = join(dataDir, "bot.sqlite")
        const stored = () => {
          const database = new Database(file, { readonly: true })
          const rows = database.prepare("SELECT request_id AS id, reply_token_enc AS token FROM requests").all()
          database.close()
          return (rows as ReadonlyArray<{ readonly id: string; readonly token: string }>)[0]!
        }
        const answers = async (token: string) => {
          const original = `webhooks/${emulator.applicationId}/${encodeURIComponent(token)}/messages/@original`
          return (await fetch(`${emulator.api}/v10/${original}`)).status
        }
        const { id, token } = stored()
        assert.strictEqual(await answers(token), 404)
        const opened = await EncryptionKey.EncryptionKey.pipe(
          Effect.flatMap((key) => key.open(token, `requests ${id}`)),
          Effect.provide(EncryptionKey.layer([Redacted.make(Buffer.alloc(32, 7).toString("base64"))])),
          Effect.runPromise
        )
        assert.strictEqual(await answers(Redacted.value(opened)), 200)

        await prune({ answers: Date.now() + 1000, deliveries: 0, history: 0 }).pipe(
          Effect.provide(GroupCommit.layer(file)),
          Effect.runPromise
        )
        assert.strictEqual(stored().token, "")
      }
    ))
})
