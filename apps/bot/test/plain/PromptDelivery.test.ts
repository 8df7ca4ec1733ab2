import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import type { Script } from "@heddle/plain-service"
import { withPlainStack } from "../support/PlainStack.ts"

/** Begins slowly, so that the answer is also seen where no replay shows it. */
const script: Script = async ({ say, text }) => {
  if (text === "one") await setTimeout(1500)
  say(`Echo: ${text}`)
  return { stopReason: "end_turn" }
}

describe.concurrent("a prompt whose POST fails at a service that keeps the document and nothing more", () => {
  for (const replay of ["full", "withoutUserMessages", "none"] as const)
    for (const effect of [{ status: 503 }, { status: 404 }, "reset"] as const)
      for (const when of ["before", "after"] as const)
        it(
          `runs once at most, and the thread says what is known (${JSON.stringify(effect)} ${when} acting, replay ${replay})`,
          () =>
            withPlainStack({ replay, script }, async (stack) => {
              const thread = await stack.start("one")
              await stack.shows(thread, /Echo: one[^]*done ·/)
              stack.service.addFault({ rpcMethod: "session/prompt", when, effect })
              await stack.you.send(thread, "two")
              const transcript = await stack.shows(thread, /done ·[^]*(Echo: two[^]*done ·|not known whether)/, 30_000)
              const runs = stack.service.rounds.filter(({ text }) => text === "two").length
              assert.isAtMost(runs, 1)
              if (runs === 0) assert.match(transcript, /not known whether/)
              if (replay === "full") assert.strictEqual(runs, 1)
            }),
          60_000
        )
})
