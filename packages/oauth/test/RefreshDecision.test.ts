import { assert, describe, it } from "@effect/vitest"
import * as OpenApiError from "@heddle/core/OpenApiError"
import { TokenSet } from "@heddle/oauth/TokenSet"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"
import { addFailure, addRefusal, decide, failureOf, isRefused, type Refusal } from "#internal/RefreshDecision"

const hour = 3_600_000
const error = new OpenApiError.Unreachable({ operation: "token.refresh", reason: "r" })

/** An access token that lives for an hour and is due for renewal five minutes before its end. */
const tokens = new TokenSet({
  accessToken: Redacted.make("a"),
  refreshToken: Redacted.make("r"),
  obtainedAt: 0,
  expiresAt: hour
})
const withoutRefresh = new TokenSet({ accessToken: Redacted.make("a"), obtainedAt: 0, expiresAt: hour })

const at = (now: number, situation: Partial<Parameters<typeof decide>[0]> = {}) =>
  decide({ tokens, refused: undefined, now, blocked: undefined, isRefusedAgain: false, ...situation })

describe("decide", () => {
  it("uses a fresh token, and one that replaced the refused token", () => {
    assert.deepStrictEqual(at(0), { _tag: "Use" })
    assert.deepStrictEqual(at(hour, { refused: Redacted.make("older") }), { _tag: "Use" })
  })

  it("refreshes in the background, before the use, or because only new tokens help", () => {
    assert.deepStrictEqual(at(hour - 60_000), { _tag: "Refresh", wait: "background" })
    assert.deepStrictEqual(at(hour - 30_000), { _tag: "Refresh", wait: "preferred" })
    assert.deepStrictEqual(at(hour), { _tag: "Refresh", wait: "required" })
    assert.deepStrictEqual(at(0, { refused: Redacted.make("a") }), { _tag: "Refresh", wait: "required" })
  })

  it("sends nothing while refreshes are blocked", () => {
    assert.deepStrictEqual(at(hour - 1, { blocked: error }), { _tag: "Use" })
    assert.deepStrictEqual(at(hour, { blocked: error }), { _tag: "Fail", error })
  })

  it("ends a grant without refresh token when its access token is no longer useful", () => {
    assert.deepStrictEqual(at(hour - 1, { tokens: withoutRefresh }), { _tag: "Use" })
    const expired = at(hour, { tokens: withoutRefresh, blocked: error })
    assert.deepStrictEqual(expired, {
      _tag: "Reauthorize",
      reason: "its access token has expired and there is no refresh token"
    })
    const refused = at(0, { tokens: withoutRefresh, refused: Redacted.make("a") })
    assert.deepInclude(refused, { _tag: "Reauthorize" })
  })
})

describe("a token that was refused right after its renewal", () => {
  const { accessToken } = tokens

  it("is used although it is refused, too, unless it has expired", () => {
    const refused = Redacted.make("a")
    assert.deepStrictEqual(at(0, { refused, isRefusedAgain: true }), { _tag: "Use" })
    assert.deepStrictEqual(at(hour, { refused, isRefusedAgain: true }), { _tag: "Refresh", wait: "required" })
  })

  it("is renewed after 5, 10, 20 s and at most half a minute, and after 5 s again a minute later", () => {
    const waits: Array<number> = []
    let now = 0
    let refusal: Refusal | undefined
    for (let n = 0; n < 5; n += 1) {
      const renewed = new TokenSet({ ...tokens, accessToken: Redacted.make(`a-${n}`) })
      refusal = addRefusal(refusal, renewed.accessToken, now)
      assert.isTrue(isRefused(refusal, renewed, refusal.until - 1))
      assert.isFalse(isRefused(refusal, renewed, refusal.until))
      waits.push(refusal.until - now)
      now = refusal.until + (n === 3 ? 60_000 : 0)
    }
    assert.deepStrictEqual(waits, [5000, 10_000, 20_000, 30_000, 5000])
  })

  it.prop("counts once, however many calls it is refused to", [FastCheck.array(FastCheck.nat(30_000))], ([times]) => {
    const first = addRefusal(undefined, accessToken, 0)
    assert.strictEqual(times.reduce((refusal, now) => addRefusal(refusal, accessToken, now), first).until, 5000)
  })

  it("is another one after the next renewal", () => {
    const refusal = addRefusal(undefined, accessToken, 0)
    assert.isFalse(isRefused(refusal, new TokenSet({ ...tokens, accessToken: Redacted.make("b") }), 1))
  })
})

describe("failed refreshes", () => {
  it("block the version for 1, 2, 4 s and at most half a minute", () => {
    let failure = addFailure(undefined, 1, error, 0)
    const waits = [failure.until]
    for (let n = 0; n < 5; n += 1) {
      failure = addFailure(failure, 1, error, 0)
      waits.push(failure.until)
    }
    assert.deepStrictEqual(waits, [1000, 2000, 4000, 8000, 16_000, 30_000])
    assert.strictEqual(failureOf(failure, 1, 29_999), error)
    assert.isUndefined(failureOf(failure, 1, 30_000))
    assert.isUndefined(failureOf(failure, 2, 0))
    assert.strictEqual(addFailure(failure, 2, error, 0).until, 1000)
  })

  it("block as long as Retry-After asks, at most ten minutes", () => {
    const limited = (retryAfter: number) => new OpenApiError.RateLimited({ code: "c", description: "d", retryAfter })
    assert.strictEqual(addFailure(undefined, 1, limited(60), 0).until, 60_000)
    assert.strictEqual(addFailure(undefined, 1, limited(86_400), 0).until, 600_000)
  })
})
