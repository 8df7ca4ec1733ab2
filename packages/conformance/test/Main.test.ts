import { assert, describe, it } from "@effect/vitest"
import * as Programs from "@heddle/test-support/Programs"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import * as Service from "./Service.ts"

const program = fileURLToPath(new URL("../bin/heddle-conformance.js", import.meta.url))

const run = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Programs.run(program, args, { PATH: process.env["PATH"], ...env })

const secret = "secret-0123456789"
const given = {
  HEDDLE_CLIENT_ID: "client-0123456789",
  HEDDLE_CLIENT_SECRET: secret,
  HEDDLE_ACCESS_TOKEN: Service.tokens.all
}

describe.concurrent("heddle-conformance", () => {
  it.scopedLive("prints a line for each check, the count, and ends with 0 without failures", () =>
    Effect.gen(function* () {
      const url = yield* Service.serve()
      const { err, out, status } = yield* run([url, "--only", "4.10: page"], given)
      const lines = out.trimEnd().split("\n")
      assert.strictEqual(err, "")
      assert.strictEqual(status, 0)
      assert.match(lines[0] ?? "", /^ok {7}4\.10: page/)
      assert.match(lines.at(-1) ?? "", /^6 passed, 0 failed, 0 differ, 0 skipped, \d+ not reachable$/)
      assert.strictEqual(lines.length, 7)
    })
  )

  it.scopedLive("asks below a path prefix, and says when nothing is there", () =>
    Effect.gen(function* () {
      const url = yield* Service.serve()
      const { err, status } = yield* run([`${url}/prefix/`], given)
      assert.strictEqual(status, 2)
      assert.include(err, `${url}/prefix has no /openapi/v2/user/profile`)
    })
  )

  it.scopedLive("checks nothing with credentials that the service refuses, and names them", () =>
    Effect.gen(function* () {
      const url = yield* Service.serve()
      const { err, out, status } = yield* run([url], { ...given, HEDDLE_ACCESS_TOKEN: "wrong-0123456789" })
      assert.strictEqual(status, 2)
      assert.strictEqual(out, "")
      assert.match(
        err,
        /refuses the access token \(401\); give a fresh one with --access-token\. Nothing was checked$/m
      )
      assert.notInclude(err, "wrong-0123456789")
      const refusing = yield* Service.serve((response, request) =>
        request.path === "/openapi/v2/token"
          ? { ...response, status: 401, body: '{"error":"invalid_client"}' }
          : response
      )
      assert.match(
        (yield* run([refusing], given)).err,
        /refuses the application .* check --client-id and --client-secret/
      )
    })
  )

  it.scopedLive("shows what was sent, what came and what was expected, without secrets, and ends with 1", () =>
    Effect.gen(function* () {
      const fault: Service.Fault = (response) => ({
        ...response,
        body: response.body.replace('"nickname"', `"${secret}"`)
      })
      const url = yield* Service.serve((response, request) =>
        request.path.endsWith("/profile") ? fault(response, request) : response
      )
      const { out, status } = yield* run([url, "--strict", "--only", "decision 54"], given)
      assert.strictEqual(status, 1)
      assert.include(out, "FAILED   decision 54: nickname and avatar are always present, empty when unset\n")
      assert.include(out, "expected: nickname is a string, not absent\n")
      assert.include(out, "sent: GET /openapi/v2/user/profile\n")
      assert.include(out, "authorization: Bearer ***\n")
      assert.include(out, '{"***":"Ada","avatar":""}')
      assert.notInclude(out, secret)
      assert.notInclude(out, Service.tokens.all)
    })
  )

  it.scopedLive("prints JSON, one object for each check, then the summary", () =>
    Effect.gen(function* () {
      const url = yield* Service.serve()
      const { out } = yield* run([url, "--json", "--only", "phone"], given)
      const lines = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const skipped = lines.find(({ reason }) => reason === "needs --limited-access-token")
      assert.strictEqual(skipped.verdict, "skipped")
      assert.strictEqual(lines.at(-1).summary.passed, lines.filter(({ verdict }) => verdict === "passed").length)
    })
  )

  it.live("lists checks and rows that cannot be reached without a service", () =>
    Effect.gen(function* () {
      const { out, status } = yield* run(["--list"])
      assert.strictEqual(status, 0)
      assert.match(out, /^required 4\.10: page=0 counts as 1$/m)
      assert.match(out, /^required 7\.1: an expired code is 400 invalid_grant \(needs --expired-code\)$/m)
      assert.match(
        out,
        /^not reachable: 7\.1: 412 invalid_request for scene=client \(no endpoint has a parameter scene\)$/m
      )
    })
  )

  const wrong: ReadonlyArray<readonly [ReadonlyArray<string>, Readonly<Record<string, string>>, RegExp]> = [
    [["http://127.0.0.1:9"], {}, /--client-id, --client-secret, --access-token: missing/],
    [[], given, /BASE_URL: missing/],
    [["ftp://host"], given, /BASE_URL: "ftp:\/\/host" is no http or https address/],
    [["http://127.0.0.1:9", "extra"], given, /one BASE_URL only/],
    [["http://127.0.0.1:9", "--nonsense"], given, /Unknown option '--nonsense'/],
    [["http://127.0.0.1:9", "--assistant", "maybe"], given, /--assistant: say online or offline/],
    [["http://127.0.0.1:9", "--voucher", "half"], given, /--voucher: it has two parts/],
    [["http://127.0.0.1:9", "--only", "no such check"], given, /--only: no check is named like "no such check"/],
    [["http://127.0.0.1:9"], given, /http:\/\/127\.0\.0\.1:9 does not answer: .*ECONNREFUSED.*Nothing was checked/]
  ]
  for (const [args, env, line] of wrong) {
    it.live(`ends with 2 and one line: ${String(line)}`, () =>
      Effect.gen(function* () {
        const { err, out, status } = yield* run(args, env)
        assert.strictEqual(status, 2)
        assert.strictEqual(out, "")
        assert.match(err, line)
        assert.strictEqual(err.trimEnd().split("\n").length, 1)
      })
    )
  }

  it.live("explains itself", () =>
    Effect.gen(function* () {
      const { out, status } = yield* run(["--help"])
      assert.strictEqual(status, 0)
      assert.include(out, "HEDDLE_ACCESS_TOKEN")
      assert.match((yield* run(["--version"])).out, /^\d+\.\d+\.\d+\n$/)
    })
  )
})
