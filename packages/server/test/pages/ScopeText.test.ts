import { assert, describe, it } from "@effect/vitest"
import { knownScopes } from "@heddle/core/domain/Scope"
import { english } from "@heddle/server/http/pages/English"
import * as ScopeText from "@heddle/server/http/pages/ScopeText"

describe("ScopeText", () => {
  it("describes every known scope with its own text", () => {
    const sentences = knownScopes.map((scope) => ScopeText.of(scope, english))
    assert.strictEqual(new Set(sentences).size, 8)
    for (const sentence of sentences) {
      assert.match(sentence, /^[A-Z][a-z]+ .{10,}[a-z]$/)
      assert.notMatch(sentence, /user\.|scope/)
    }
  })

  it("warns about unknown scopes of any name", () => {
    for (const scope of ["user.mail.readable", "toString", "__proto__"]) {
      assert.include(ScopeText.of(scope, english), `“${scope}”`)
      assert.include(ScopeText.of(scope, english), "only if you know what it is")
    }
  })

  it("puts unknown scopes last, and omits none", () => {
    const scopes = new Set(["aaa.unknown", ...knownScopes, "zzz.unknown"])
    const sorted = ScopeText.sort(scopes)
    assert.deepStrictEqual(new Set(sorted), scopes)
    assert.strictEqual(sorted.length, 10)
    assert.deepStrictEqual(sorted.slice(-2), ["aaa.unknown", "zzz.unknown"])
    assert.strictEqual(sorted[0], "user.profile.readable")
  })
})
