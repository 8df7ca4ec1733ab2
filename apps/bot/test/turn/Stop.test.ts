import { assert, describe, it } from "@effect/vitest"
import type { HealthReport } from "@heddle/bot/operate/Health"
import { type Stack, withStack } from "../support/Stack.ts"
import { echo } from "../support/Agents.ts"

const patience = 60_000
const unsent = /stopped · the agent did not get this message, and nothing was charged for it ·/

const begin = async ({ shows, start }: Stack) => {
  const thread = await start("go")
  await shows(thread, /done ·/, patience)
  return thread
}

/** A thread whose second turn, for "one", has begun. */
const beginOne = async (stack: Stack) => {
  const thread = await begin(stack)
  await stack.you.send(thread, "one")
  await stack.shows(thread, /start of one/, patience)
  return thread
}

const after3s = () => new Promise<string>((resolve) => setTimeout(() => resolve("end_turn"), 3000))

const readiness = async ({ bot }: Stack) =>
  (await (await fetch(bot.health.replace("healthz", "readyz"))).json()) as HealthReport

describe.concurrent("a request to stop", () => {
  it(
    "that arrives after the turn's own end does not stop the next turn",
    () =>
      withStack(
        async (turn) => {
          turn.say(`start of ${turn.text}; `)
          if (turn.text === "one") await new Promise((resolve) => setTimeout(resolve, 800))
          if (turn.text !== "two") return "end_turn"
          const time = new Promise<string>((resolve) => setTimeout(() => resolve("not cancelled"), 3500))
          const how = await Promise.race([time, turn.cancelled.then(() => "cancelled")])
          turn.say(`two is ${how}`)
          return how === "cancelled" ? how : "end_turn"
        },
        async (stack) => {
          const { service, shows, you } = stack
          const thread = await begin(stack)
          service.state.slowCancelMs = 2500
          await you.send(thread, "one")
          await shows(thread, /start of one/, patience)
          await you.send(thread, "two")
          await you.send(thread, "stop")
          const transcript = await shows(thread, /two is \w+/, patience)
          assert.match(transcript, /start of one[^]*done ·[^]*two is not cancelled/)
          assert.notMatch(transcript, /stopped ·/)
          await shows(thread, /two is not cancelled[^]*done ·/, patience)
        }
      ),
    120_000
  )

  it(
    "right after a message applies to that message, also before its turn begins",
    () =>
      withStack(
        async (turn) => {
          const ending = turn.text === "go" ? "end_turn" : await Promise.race([after3s(), turn.cancelled])
          turn.say(`${turn.text} is ${ending === "end_turn" ? "answered" : "stopped"}`)
          return ending === "end_turn" ? ending : "cancelled"
        },
        async (stack) => {
          const { emulator, shows, you } = stack
          const thread = await begin(stack)
          await emulator.quiet(thread, 300)
          // They come at once, and are taken together.
          await Promise.all([you.send(thread, "second"), you.send(thread, "stop")])
          await shows(thread, /stopped ·/, patience)
          const transcript = emulator.transcript(thread)
          assert.notInclude(transcript, "second is answered")
          assert.notInclude(transcript, "Nothing is running")
        }
      ),
    120_000
  )

  it(
    "right after a message applies to it, also while Discord has not yet confirmed the end of the turn before",
    () =>
      withStack(
        async (turn) => {
          const ending = turn.text === "second" ? await Promise.race([after3s(), turn.cancelled]) : "end_turn"
          turn.say(`${turn.text} is ${ending === "end_turn" ? "answered" : "stopped"}`)
          return ending === "end_turn" ? ending : "cancelled"
        },
        async ({ emulator, shows, start, you }) => {
          const thread = await start("go")
          await shows(thread, /done ·/, patience)
          await emulator.quiet(thread, 300)
          emulator.fault({
            method: "POST",
            route: new RegExp(`/channels/${thread}/messages$`),
            after: true,
            delayMs: 1000
          })
          await you.send(thread, "one")
          await shows(thread, /one is answered[^]*done ·/, patience)
          await you.send(thread, "second")
          await you.send(thread, "stop")
          const transcript = await shows(thread, /second is answered|stopped ·/, patience)
          assert.notMatch(transcript, /second is answered|no longer at work/)
        }
      ),
    120_000
  )

  it("that arrives late applies to the turn of its time, or to the message before it", () => {
    let end = () => {}
    return withStack(
      async (turn) => {
        turn.say(`start of ${turn.text}; `)
        if (turn.text === "one") await new Promise<void>((resolve) => (end = resolve))
        const how = turn.text === "two" ? await Promise.race([after3s(), turn.cancelled]) : "end_turn"
        turn.say(`${turn.text} is ${how === "end_turn" ? "answered" : "stopped"}`)
        return "end_turn"
      },
      async (stack) => {
        const { emulator, service, shows, startBot, stopBot, you } = stack
        const thread = await beginOne(stack)
        await you.send(thread, "two")
        await shows(thread, /1\. two/, patience)
        const repair = emulator.fault({ connect: true, status: 503 })
        emulator.dropGateway()
        await you.send(thread, "stop")
        end()
        await shows(thread, /start of two/, patience)
        repair()
        const transcript = await shows(thread, /two is \w+[^]*done ·/, patience)
        assert.match(transcript, /two is answered/)
        await shows(thread, /Everything that ran when you wrote this has ended/, patience)

        await stopBot()
        await you.send(thread, "three")
        await you.send(thread, "stop")
        await startBot()
        await shows(thread, unsent, patience)
        assert.deepEqual(service.prompts, ["go", "one", "two"])
      }
    )
  }, 120_000)

  it(
    "that is repeated applies to the messages since the first one",
    () =>
      withStack(
        async (turn) => {
          turn.say(`start of ${turn.text}; `)
          if (turn.text === "go") return "end_turn"
          await turn.cancelled
          await new Promise((resolve) => setTimeout(resolve, 1000))
          return "cancelled"
        },
        async (stack) => {
          const { emulator, service, shows, startBot, stopBot, you } = stack
          const thread = await beginOne(stack)
          for (const words of ["stop", "two", "stop"]) await you.send(thread, words)
          await shows(thread, /stopped ·[^]*the agent did not get this message[^]*$/, patience)
          // Impatience is no word about what waits.
          await you.send(thread, "slow")
          await shows(thread, /start of slow/, patience)
          await you.send(thread, "after")
          await shows(thread, /1\. after/, patience)
          for (const words of ["stop", "stop"]) await you.send(thread, words)
          await shows(thread, /start of after/, patience)
          await you.send(thread, "stop")
          await shows(thread, /start of after[^]*stopped ·/, patience)
          await stopBot()
          for (const words of ["three", "stop", "four", "stop", "stop"]) await you.send(thread, words)
          await startBot()
          await emulator.waitFor((e) => e.transcript(thread).split("did not get this message").length === 4, {
            what: "all three",
            timeoutMs: patience
          })
          await shows(thread, /stopped ·[^]*stopped ·[^]*stopped ·[^]*stopped ·/, patience)
          assert.deepEqual(service.prompts, ["go", "one", "slow", "after"])
        }
      ),
    120_000
  )

  it(
    "stops an agent's late output",
    () =>
      withStack(
        async (turn) => {
          turn.say(`answer to ${turn.text}. `)
          if (turn.text !== "more") return "end_turn"
          let word = 0
          const talking = setInterval(() => turn.say(`late ${word++} `), 150)
          void turn.cancelled.then(() => {
            clearInterval(talking)
            turn.say("silent now")
          })
          return "end_turn"
        },
        async (stack) => {
          const { shows, you } = stack
          const thread = await begin(stack)
          await you.send(thread, "more")
          await shows(thread, /late 5/, patience)
          await you.send(thread, "stop")
          await shows(thread, /The answer has ended; the agent is asked to stop what it still says/, patience)
          await shows(thread, /silent now/, patience)
        }
      ),
    120_000
  )

  it(
    "ends a hanging download, which the health check reports, and the queue continues",
    () =>
      withStack(
        echo,
        async (stack) => {
          const { emulator, service, shows, you } = stack
          const thread = await begin(stack)
          let asked = 0
          const any = /./
          any.test = () => ++asked > 0
          emulator.fault({ file: any, bytesPerSecond: 1 })
          await you.send(thread, "read", [
            { name: "a.txt", data: Buffer.from("x".repeat(5000)), contentType: "text/plain" }
          ])
          await emulator.waitFor(() => asked > 0, { what: "the file is fetched", timeoutMs: patience })
          await you.send(thread, "next")
          let report = await readiness(stack)
          for (const end = Date.now() + patience; report.ready && Date.now() < end; report = await readiness(stack)) {
            await new Promise((resolve) => setTimeout(resolve, 100))
          }
          assert.match(report.why.join(" "), /Fetching the files of a message in thread \d+ does not/)
          await you.send(thread, "stop")
          await shows(thread, unsent, patience)
          await shows(thread, /answer to next[^]*done ·/, patience)
          assert.deepEqual(service.prompts, ["go", "next"])
          assert.isTrue((await readiness(stack)).ready)
        },
        { stuckAfterMs: 1500 }
      ),
    120_000
  )

  it(
    "ends a request to a hanging service at once, and the queue continues",
    () =>
      withStack(echo, async (stack) => {
        const { emulator, service, shows, you } = stack
        const thread = await begin(stack)
        service.state.silent = true
        const before = service.asked()
        await you.send(thread, "second")
        await emulator.waitFor(() => service.asked() > before, { what: "a request", timeoutMs: patience })
        const said = Date.now()
        await you.send(thread, "stop")
        await shows(thread, unsent, patience)
        assert.isBelow(Date.now() - said, 15_000)
        service.state.silent = false
        await you.send(thread, "third")
        await shows(thread, /answer to third[^]*done ·/, patience)
        assert.deepEqual(service.prompts, ["go", "third"])
      }),
    120_000
  )

  it(
    "reports that the agent could not be cancelled when it may have the message",
    () =>
      withStack(
        async (turn) => {
          turn.say(`start of ${turn.text}`)
          if (turn.text === "long") await turn.cancelled
          return "end_turn"
        },
        async (stack) => {
          const { emulator, service, shows, startBot, stopBot, you } = stack
          const thread = await begin(stack)
          await you.send(thread, "long")
          await shows(thread, /start of long/, patience)
          await stopBot()
          service.state.silent = true
          const before = service.asked()
          await startBot()
          await emulator.waitFor(() => service.asked() > before, { what: "a request", timeoutMs: patience })
          await you.send(thread, "stop")
          await shows(thread, /the service did not take the stop in time: .* may go on/, patience)
          for (const { cancel } of service.tasks.values()) cancel()
        }
      ),
    120_000
  )
})
