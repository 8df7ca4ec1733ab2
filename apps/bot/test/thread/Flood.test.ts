import { it } from "@effect/vitest"
import { withStack } from "../support/Stack.ts"

const many = Number(process.env["FLOOD"] ?? 1000)

it(
  "flood",
  () =>
    withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        await turn.cancelled
        return "cancelled"
      },
      async ({ emulator, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /working on one/)
        const before = Date.now()
        const cpu = process.cpuUsage()
        await Promise.all(Array.from({ length: many }, (_, at) => you.send(thread, `message ${at}`)))
        const sent = Date.now() - before
        await you.send(thread, "stop")
        const at = Date.now()
        await shows(thread, /asked to stop/, 60_000)
        const said = Date.now() - at
        await shows(thread, /stopped ·/, 60_000)
        const stopped = Date.now() - at
        await emulator.waitFor(() => emulator.messages(thread).some((m) => m.content.includes(`${many - 11} more`) ||  m.content.includes(`${many - 12} more`) || m.content.includes(`${many - 10} more`)), {timeoutMs: 60000, what: "all"}).catch(() => console.log(emulator.transcript(thread).slice(-1500)))
        const use = process.cpuUsage(cpu)
        console.log(JSON.stringify({ many, sent, said, stopped, all: Date.now() - at, cpu: (use.user + use.system) / 1000 }))
      }
    ),
  180_000
)
