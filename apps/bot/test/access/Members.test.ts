import { assert, describe, it } from "@effect/vitest"
import * as Members from "@heddle/bot/access/Members"
import { DiscordApi } from "@heddle/bot/discord/DiscordApi"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** A clock whose time of day is set back by two hours while a minute passes. */
const makeClock = () => {
  let wall = 1_800_000_000_000
  let passed = 0n
  const clock: Clock.Clock = Object.assign(Clock.make(), {
    unsafeCurrentTimeMillis: () => wall,
    currentTimeMillis: Effect.sync(() => wall),
    unsafeCurrentTimeNanos: () => passed,
    currentTimeNanos: Effect.sync(() => passed)
  })
  return {
    clock,
    setBack: () => {
      wall -= 7_200_000
      passed += 60_000_000_000n
    }
  }
}

describe("Members", () => {
  it.scoped("asks Discord again about a member who may have left, also after the time of day was set back", () => {
    const { clock, setBack } = makeClock()
    return Effect.gen(function* () {
      let roles: ReadonlyArray<string> | undefined = ["staff"]
      const api = { member: () => Effect.sync(() => roles) } as unknown as Context.Tag.Service<DiscordApi>
      const members = Context.get(
        yield* Layer.build(Layer.provide(Members.layer, Layer.succeed(DiscordApi, api))),
        Members.Members
      )
      const find = members.find("guild", "owner", 5000)
      assert.deepStrictEqual(yield* find, { _tag: "Here", roleIds: ["staff"] })
      roles = undefined
      assert.deepStrictEqual(yield* find, { _tag: "Here", roleIds: ["staff"] }, "the answer is new")
      setBack()
      assert.deepStrictEqual(yield* find, { _tag: "NotMember" })
    }).pipe(Effect.withClock(clock))
  })
})
