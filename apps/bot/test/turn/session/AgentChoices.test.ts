import { assert, describe, it } from "@effect/vitest"
import * as SessionState from "@heddle/acp/SessionState"
import { AgentOfferRows, type StoredOffers } from "@heddle/bot/store/AgentOffers"
import type { Thread } from "@heddle/bot/store/Threads"
import * as AgentChoices from "@heddle/bot/turn/session/AgentChoices"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"

describe("what an agent offers in a turn", () => {
  it.scoped("is stored before the turn ends, also if it changes while the store is busy", () =>
    Effect.gen(function* () {
      const isFree = yield* Effect.makeLatch()
      const isAsked = yield* Effect.makeLatch()
      const saved: Array<StoredOffers> = []
      const rows = {
        find: () => Effect.as(Effect.zipRight(isAsked.open, isFree.await), Option.none<StoredOffers>()),
        save: (_: string, stored: StoredOffers) => Effect.sync(() => void saved.push(stored))
      }
      let commands = [{ name: "first", description: "" }]
      const state = Effect.sync(() => ({ ...SessionState.empty, commands }))
      const choices = yield* AgentChoices.follow({ taskId: "task" } as Thread, { state }).pipe(
        Effect.provideService(AgentOfferRows, rows as unknown as AgentOfferRows["Type"])
      ) as Effect.Effect<Effect.Effect.Success<ReturnType<typeof AgentChoices.follow>>, never, Scope.Scope>
      yield* isAsked.await
      commands = [{ name: "second", description: "" }]
      choices.onChange(new Set(["commands"]))
      const end = yield* Effect.fork(choices.finish)
      yield* Effect.yieldNow()
      assert.deepEqual(saved, [])
      yield* isFree.open
      yield* Fiber.join(end)
      assert.deepEqual(
        saved.at(-1)?.offers.commands.map(({ name }) => name),
        ["second"]
      )
    })
  )
})
