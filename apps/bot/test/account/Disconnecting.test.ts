import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import Database from "better-sqlite3"
import { withPlainStack } from "../support/PlainStack.ts"
import { gated, prompts, unknown } from "../support/scenarios/ReplayReadings.ts"
import { buttonsOf, patience, press, withStack } from "../support/Stack.ts"

describe("work on a disconnected account", () => {
  it("ends with neutral words, and continues after the person connects again", () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    return withStack(
      async (turn) => {
        if (turn.text !== "asks" && turn.text !== "deaf") return (turn.say(`answer to ${turn.text}`), "end_turn")
        turn.say("working")
        if (turn.text === "asks") {
          void turn.ask({ toolCallId: "t1", title: "Delete everything", rawInput: { path: "/" } })
          await turn.cancelled
          return "cancelled"
        }
        await released
        turn.say("said after the disconnect")
        await turn.ask({ toolCallId: "t2", title: "Delete the rest" })
        return "end_turn"
      },
      async ({ connect, emulator, shows, start, startBot, stopBot, you }) => {
        const asking = await start("asks")
        await shows(asking, /Delete everything/)
        const given = await start("asks")
        await shows(given, /Delete everything/)
        const deaf = await start("deaf")
        await shows(deaf, /working/)
        const question = await (await you.command(emulator.channelId, "disconnect")).settled()
        assert.match(question.content, /3 of your tasks are at work[^]*I stop the work first/)
        const gone = await press(you, question, "c4:disconnect")
        assert.match(gone.content, /^Disconnected\. .*2 tasks were stopped\. One task could not be stopped in time/)
        release()
        await shows(asking, /No longer open[^]*has disconnected their account before this was answered/)
        for (const thread of [asking, deaf]) await shows(thread, /you have disconnected the account on which this runs/)

        await you.send(asking, "next")
        await shows(asking, /Waiting until the account on which this runs is connected[^]*next/)
        const status = await (await you.command(asking, "task status")).settled()
        assert.match(status.content, /^Your account is not connected\. Use \S*connect\S*, then try again/)
        assert.lengthOf(buttonsOf(status), 1)
        await stopBot()
        await startBot()
        await (await you.command(deaf, "task stop")).settled()
        await shows(deaf, /stopped while it waited for the account[^]*The agent had the message before/)
        await (await you.command(given, "task stop")).settled()
        await shows(given, /stopped · [^]*$/)
        assert.notMatch(emulator.transcript(given), /may go on/)
        const all = [asking, deaf].map((thread) => emulator.transcript(thread)).join("\n")
        assert.notMatch(all, /no longer accepts|said after the disconnect|Delete the rest/)

        await connect()
        await shows(asking, /stopped · [^]*answer to next/)
        assert.notMatch(emulator.transcript(asking), /disconnected the account on which/)
      }
    )
  }, 60_000)

  it(
    "accepts no answers while the account is disconnected, and accepts them afterwards",
    () =>
      withStack(
        async (turn) => {
          turn.say(await turn.ask({ toolCallId: "t1", title: "Delete everything" }))
          return "end_turn"
        },
        async ({ connect, dataDir, emulator, service, shows, start, startBot, stopBot, you }) => {
          const sam = emulator.user("Sam")
          const onFile = <A>(use: (database: Database.Database) => A) => {
            const database = new Database(join(dataDir, "bot.sqlite"))
            database.pragma("busy_timeout = 5000")
            try {
              return use(database)
            } finally {
              database.close()
            }
          }
          const rows = () => onFile((database) => database.prepare("SELECT state, answered_by FROM permissions").all())
          const thread = await start("asks")
          await shows(thread, /Delete everything/)
          await (await you.command(thread, "task share", { member: "Sam", may: "both" })).settled()
          const status = async () => (await sam.command(thread, "task status")).settled()
          assert.match((await status()).content, /It waits for/)
          const card = emulator.messages(thread).findLast((message) => (message.components ?? []).length > 0)!
          const allow = buttonsOf(card)[0]!.custom_id
          // As a bot has it that is killed before it has ended what ran.
          onFile((database) => database.exec("DELETE FROM oauth_grants"))
          for (const who of [sam, you]) {
            const before = who.ephemerals(thread).length
            await who.press(thread, card.id, allow)
            const told = await emulator.waitFor(() => who.ephemerals(thread)[before]?.content, { what: "words" })
            assert.match(told, /is not connected now.*Your click changed nothing/)
            const other = await status()
            assert.match(other.content, /account of <@\d+>, which is not connected now[^]*Only they can change that/)
            assert.isEmpty(buttonsOf(other))
          }
          assert.deepStrictEqual(rows(), [{ state: "open", answered_by: null }])
          await stopBot()
          await startBot()
          await shows(thread, /you have disconnected the account on which this runs/)
          await shows(thread, /No longer open[^]*has disconnected their account before this was answered/)
          const buttons = () => buttonsOf(emulator.messages(thread).find(({ id }) => id === card.id)!)
          assert.isEmpty(buttons())
          assert.isEmpty(service.answers)
          await connect()
          const isOn = () => buttons().length > 0 && !/disconnected the account on/.test(emulator.transcript(thread))
          await emulator.waitFor(isOn, { what: "the request that is open again" })
          await sam.press(thread, card.id, allow)
          await shows(thread, /Allowed[^]*: allow/)
        },
        { emulator: { users: ["You", "Sam"] } }
      ),
    60_000
  )

  it("is over with the visible end of an answer, also while Discord has not yet confirmed that post", () => {
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    return withStack(
      async (turn) => {
        turn.say("All said.")
        await ended
        return "end_turn"
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("go")
        await shows(thread, /All said/)
        const route = new RegExp(`/channels/${thread}/messages$`)
        emulator.fault({ method: "POST", route, after: true, delayMs: 2000 })
        end()
        await shows(thread, /All said[^]*done ·/)
        const status = await (await you.command(thread, "task status")).settled()
        assert.match(status.content, /Nothing is waiting\./)
        const gone = await (await you.command(emulator.channelId, "disconnect")).settled()
        assert.match(gone.content, /^Disconnected\./)
        assert.notMatch(gone.content, /stopped/)
      }
    )
  }, 60_000)
})

describe.concurrent("an agent that ignores the stop of a disconnected account", { timeout: 60_000 }, () => {
  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    it(`is not told as stopped when it ends by itself (replay ${replay})`, () => {
      const { go, opened } = gated()
      return withPlainStack(
        {
          replay,
          ignoreCancel: true,
          script: async ({ say, text }) => {
            say(`Begun ${text}. `)
            if (text === "two") await opened
            return { stopReason: "end_turn" }
          }
        },
        async (stack) => {
          const { connect, emulator, service, shows, start, you } = stack
          const thread = await start("one")
          await shows(thread, replay === "none" ? new RegExp(unknown) : /Begun one[^]*done ·/, patience)
          await you.send(thread, "two")
          await shows(thread, /Begun two/, patience)
          const question = await (await you.command(emulator.channelId, "disconnect")).settled()
          const gone = press(you, question, "c4:disconnect")
          await emulator.waitFor(() => service.requests.some(({ rpcMethod }) => rpcMethod === "session/cancel"), {
            what: "the cancellation",
            timeoutMs: patience
          })
          go()
          const { content } = await gone
          assert.match(content, /^Disconnected\./)
          assert.notMatch(content, /stopped/)
          await connect()
          const transcript = await shows(thread, /Begun two[^]*-# ended after the stop request/, patience)
          assert.notMatch(transcript, /stopped ·/)
          assert.deepEqual(prompts(stack), ["one", "two"])
        }
      )
    })
})
