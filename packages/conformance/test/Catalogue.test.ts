import { assert, describe, it } from "@effect/vitest"
import { groups } from "@heddle/conformance/Catalogue"
import * as Documentation from "@heddle/conformance/Documentation"
import { unreachable } from "@heddle/conformance/Unreachable"
import { readFileSync } from "node:fs"

const checks = groups.flatMap((group) => group.checks)
const page = (name: string) => readFileSync(new URL(`../../../apps/docs/contract/${name}.md`, import.meta.url), "utf8")

describe("the catalogue", () => {
  it("names every check once, after its section or its decision", () => {
    const names = checks.map(({ name }) => name)
    assert.deepStrictEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      []
    )
    for (const { decisions, level, name, section } of checks) {
      assert.isTrue(name.startsWith(level === "decision" ? `decision ${decisions[0]}: ` : `${section}: `), name)
    }
    assert.isAbove(checks.length, 500)
  })

  it("covers every section of endpoints, fields, events, errors and limits", () => {
    const covered = new Set([...checks, ...unreachable].map(({ section }) => section))
    const sections = (
      "2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 3 4.1 4.2 4.3 4.4 4.5 4.6 4.7 4.8 4.9 " +
      "4.10 4.11 4.12 4.13 4.14 5.1 5.3 5.4 5.6 5.7 6 6.1 6.2 6.3 6.5 7.1 7.2 8 9 9.1"
    ).split(" ")
    assert.deepStrictEqual(
      sections.filter((section) => !covered.has(section)),
      []
    )
  })

  it("has a check or a reason for every row of table 7.1", () => {
    const response = [...checks.map(({ name }) => name), ...unreachable.map(({ row }) => row)].join("\n")
    const rows = (
      "400 invalid_request, 400 unsupported_grant_type, 400 unsupported_response_type, 400 invalid_grant, 400 invalid_scope, " +
      "400 authorization_pending, 400 slow_down, 400 expired_token, 401 invalid_token, 401 invalid_client, " +
      "401 unauthorized_client, 401 Unauthorized, 403 access_denied, 403 insufficient_scope, 403 forbidden, " +
      "403 PermissionDenied, 404 not_found, 409 invalid_request, 412 invalid_request, 429 rate_limited, " +
      "500 server_error, 502 server error, 503 server_error"
    ).split(", ")
    assert.deepStrictEqual(
      rows.filter((row) => !response.includes(row)),
      []
    )
  })

  it("is what the documentation shows", () => {
    assert.strictEqual(
      page("checks"),
      Documentation.checksPage(),
      "run: npx --yes pnpm@10 --filter @heddle/conformance run docs"
    )
    assert.strictEqual(
      page("decisions"),
      Documentation.fillProofColumn(page("decisions")),
      "run: npx --yes pnpm@10 --filter @heddle/conformance run docs"
    )
  })

  it("names no decision that the table lacks", () => {
    const rows = new Set([...page("decisions").matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number)))
    assert.strictEqual(rows.size, 122)
    for (const { decisions } of [...checks, ...unreachable])
      for (const number of decisions) assert.isTrue(rows.has(number))
  })
})
