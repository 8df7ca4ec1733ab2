import { assert, describe, it } from "@effect/vitest"
import * as Challenge from "@heddle/core/Challenge"
import * as FastCheck from "effect/FastCheck"
import * as oauth from "oauth4webapi"

/** What another well-kept parser reads, by way of the error that it raises. */
const theirs = async (header: string): Promise<ReturnType<typeof ours> | undefined> => {
  const error = await oauth
    .protectedResourceRequest("t", "GET", new URL("https://a.example"), undefined, undefined, {
      [oauth.customFetch]: async () => new Response(null, { status: 401, headers: { "www-authenticate": header } })
    })
    .then(
      () => undefined,
      (error: unknown) => error
    )
  return error instanceof oauth.WWWAuthenticateChallengeError
    ? error.cause.map(({ parameters, scheme }) => ({
        scheme,
        params: Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, value ?? ""]))
      }))
    : undefined
}

const ours = (header: string) =>
  Challenge.parse(header).map(({ params, scheme }) => ({ scheme, params: Object.fromEntries(params) }))

const tokenChars = [..."abcXYZ019!#$%&'*+-.^_`|~"]
const scheme = FastCheck.string({ unit: FastCheck.constantFrom(..."abcXYZ019-"), minLength: 1, maxLength: 8 })
const token = FastCheck.string({ unit: FastCheck.constantFrom(...tokenChars), minLength: 1, maxLength: 8 })
const space = FastCheck.constantFrom("", " ", "  ", "\t")
const quoted = FastCheck.string({
  unit: FastCheck.constantFrom(...tokenChars, " ", ",", "=", "/", ":", "(", "ü", '\\"', "\\\\", "\\a"),
  maxLength: 12
}).map((text) => `"${text}"`)

const parameters = FastCheck.uniqueArray(FastCheck.tuple(token, space, space, FastCheck.oneof(token, quoted)), {
  selector: ([name]) => name.toLowerCase(),
  minLength: 1,
  maxLength: 4
}).map((list) => list.map(([name, before, after, value]) => `${name}${before}=${after}${value}`))

const challenge = FastCheck.oneof(
  FastCheck.tuple(
    scheme,
    parameters,
    FastCheck.array(FastCheck.tuple(space, space), { minLength: 4, maxLength: 4 })
  ).map(
    ([scheme, list, gaps]) =>
      `${scheme} ${list.map((text, n) => (n === 0 ? text : `${gaps[n]?.[0] ?? ""},${gaps[n]?.[1] ?? ""}${text}`)).join("")}`
  ),
  FastCheck.tuple(scheme, FastCheck.stringMatching(/^[a-zA-Z0-9\-._~+/]{2,12}={0,2}$/)).map(
    ([scheme, word]) => `${scheme} ${word}`
  ),
  scheme
)

const header = FastCheck.array(challenge, { minLength: 1, maxLength: 4 }).map((list) => list.join(", "))

describe("a WWW-Authenticate header", () => {
  it(
    "is read like by another well-kept parser, 5,000 generated ones",
    () =>
      FastCheck.assert(
        FastCheck.asyncProperty(header, async (text) => {
          // A header that the platform itself refuses never arrives.
          if (!canCarry(text)) return
          const expected = await theirs(text)
          assert.deepStrictEqual(ours(text), expected, text)
        }),
        { numRuns: 5_000 }
      ),
    60_000
  )

  it("that is malformed is skipped in linear time", () => {
    FastCheck.assert(
      FastCheck.property(FastCheck.string({ unit: "binary", maxLength: 200 }), (text) => {
        for (const { params, scheme } of Challenge.parse(text)) {
          assert.notStrictEqual(scheme, "")
          assert.isTrue([...params.keys()].every((name) => name !== ""))
        }
      }),
      { numRuns: 5_000 }
    )
    // Quadratic work would take minutes.
    for (const piece of ['a="', "a ", ",", "a=\\", "Bearer a=b,"]) Challenge.parse(piece.repeat(400_000))
  })
})

const canCarry = (text: string): boolean => {
  try {
    return new Headers({ "www-authenticate": text }).has("www-authenticate")
  } catch {
    return false
  }
}
