import { assert, describe, it } from "@effect/vitest"
import { lanes } from "@heddle/conformance/Catalogue"
import * as Runner from "@heddle/conformance/Runner"
import type { Settings } from "@heddle/conformance/Settings"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Service from "./Service.ts"

const settings = (baseUrl: string): Settings => ({
  baseUrl,
  given: new Map([
    ["clientId", [Redacted.make("client-0123456789")]],
    ["clientSecret", [Redacted.make("secret-0123456789")]],
    ["accessToken", [Redacted.make(Service.tokens.all)]],
    ["limitedAccessToken", [Redacted.make(Service.tokens.profile)]],
    ["otherAccessToken", [Redacted.make(Service.tokens.other)]]
  ]),
  limitedScope: "user.profile.readable",
  artifactPrompt: "",
  disposable: false
})

const foreign = /localassistant|redemptions|phone|\/token/
const given = (name: string) => settings("").given.has(name as "phone")

/** The checks that a service of profile, credits and tasks can keep. */
const chosen = lanes
  .filter(({ title }) =>
    ["Profile", "Credit", "Tasks", "Task list", "Bearer tokens and scopes", "Answers in general"].includes(title)
  )
  .map((lane) => ({
    ...lane,
    checks: lane.checks.filter(({ name, needs }) => !foreign.test(name) && needs.every(given))
  }))

const differing = (fault: Service.Fault | undefined, strict = true) =>
  Effect.gen(function* () {
    const url = yield* Service.serve(fault)
    const results = Chunk.toReadonlyArray(yield* Stream.runCollect(Runner.run(chosen, settings(url), { strict })))
    return {
      results,
      bad: results.filter(({ verdict }) => verdict !== "passed").map(({ check }) => check.name)
    }
  })

const onPath =
  (path: string, change: (said: Service.Said, asked: Service.Asked) => void): Service.Fault =>
  (said, asked) => {
    if (asked.path === `/openapi/v2${path}` && said.status === 200) change(said, asked)
    return said
  }

const edit = (said: Service.Said, change: (json: any) => void) => {
  const json = JSON.parse(said.body)
  change(json)
  said.body = JSON.stringify(json)
}

let everything = "{}"

/** A fault, and the checks that see it: all of them and no other. */
const faults: ReadonlyArray<readonly [fault: string, Service.Fault, bad: ReadonlyArray<string | RegExp>]> = [
  [
    "page=0 is taken as it is",
    onPath("/tasks", (said, { query }) => {
      if (query.get("page") === "0") edit(said, (json) => (json.pagination.page = 0))
    }),
    ["4.10: page=0 counts as 1"]
  ],
  [
    "size has no upper bound",
    onPath("/tasks", (said, { query }) => {
      const size = Number(query.get("size"))
      if (size > 100) edit(said, (json) => (json.pagination.size = size))
    }),
    ["4.10: size=101 counts as 100", "4.10: size=1000000 counts as 100"]
  ],
  [
    "1.5 is read as 1.5",
    onPath("/tasks", (said, { query }) => {
      if (query.get("size") === "1.5") edit(said, (json) => (json.pagination.size = 1.5))
    }),
    ["decision 83: size=1.5 is no whole number and counts as 20"]
  ],
  [
    "total is a text",
    onPath("/tasks", (said) => edit(said, (json) => (json.total = String(json.total)))),
    [
      "4.10: total is an integer from 0 up",
      "4.10: size=1 gives one task, and total says how many there are",
      "decision 82: total and pagination.total are equal"
    ]
  ],
  [
    "tasks is absent",
    onPath("/tasks", (said) => edit(said, (json) => delete json.tasks)),
    [
      "4.10: tasks is an array",
      "4.10: size=1 gives one task, and total says how many there are",
      "4.10: a task that was created is in the list",
      "3: every status is one of the table",
      "decision 24: times are written 2026-01-02T03:04:05.678Z",
      "decision 83: the newest task comes first",
      /^2.8: /,
      "decision 83: a page past the end is 200 with no tasks",
      "decision 83: a page far past the end is 200 with no tasks"
    ]
  ],
  [
    "a token is in the list",
    onPath("/tasks", (said, { method }) => {
      if (method === "GET") edit(said, (json) => json.tasks.forEach((task: any) => (task.token = "leaked")))
    }),
    ["2.8: no element carries token or expire_at"]
  ],
  [
    "the list shows everyone's tasks",
    (said, { headers, path }) => {
      if (path.endsWith("/tasks") && headers.authorization?.includes(Service.tokens.other)) said.body = everything
      if (path.endsWith("/tasks") && said.body.includes('"pagination"')) everything = said.body
      return said
    },
    ["4.10: another user does not see the task"]
  ],
  [
    "another user's task is shown with its token",
    (said, { headers, path }) => {
      if (!/tasks\/./.test(path)) return said
      const other = headers.authorization?.includes(Service.tokens.other) === true
      if (!other && said.status === 200) everything = said.body
      return other ? { ...said, status: 200, body: everything } : said
    },
    ["4.11: another user does not get the task's token", "decision 85: another user's task is 404 not_found"]
  ],
  [
    "a task is created with 200",
    (said) => (said.status === 201 ? { ...said, status: 200 } : said),
    [/^4.9: answers 201/, /^decision 81: (a repeated|Location)/]
  ],
  [
    "a repeated key makes another task",
    (said, { headers }) => {
      if (headers["idempotency-key"] !== undefined) edit(said, (json) => (json.task_id += Math.random()))
      return said
    },
    ["decision 81: a repeated Idempotency-Key gives the same task"]
  ],
  [
    "the end of a token is not told",
    (said, { method, path }) => {
      if (method === "GET" && /tasks\/./.test(path) && said.status === 200) edit(said, (json) => delete json.expire_at)
      return said
    },
    ["decision 77: expire_at is always told together with a token", "decision 77: a token lives for 3 days at most"]
  ],
  [
    "a missing task is 500",
    (said, { path }) => (/tasks\/0000/.test(path) && said.status === 404 ? { ...said, status: 500 } : said),
    ["7.1: a task that does not exist is 404 not_found"]
  ],
  [
    "a wrong method is 404",
    (said) => (said.status === 405 ? { ...said, status: 404 } : said),
    [/^decision 19: (DELETE|PUT) /]
  ],
  [
    "a 405 lacks Allow",
    (said) => {
      delete said.headers["allow"]
      return said
    },
    [/^decision 19: (DELETE|PUT) /]
  ],
  [
    "request_id is missing in error bodies",
    (said) => {
      if (said.status >= 400) edit(said, (json) => delete json.request_id)
      return said
    },
    [/^decision (12|4): a refusal of (GET|POST)/, /^decision 8: a 404/]
  ],
  [
    "the profile may be cached",
    onPath("/user/profile", (said) => delete said.headers["cache-control"]),
    ["4.3: Cache-Control is private, no-store"]
  ],
  [
    "the profile has no charset",
    onPath("/user/profile", (said) => (said.headers["content-type"] = "application/json")),
    ["4.3: the Content-Type is application/json; charset=utf-8"]
  ],
  [
    "credits are in an envelope",
    onPath("/credit", (said) => (said.body = JSON.stringify({ code: 0, msg: "success", data: JSON.parse(said.body) }))),
    [
      "2.4: total_capacity_size is an integer",
      "2.4: total_capacity_used is an integer",
      "2.4: neither number is negative",
      "decision 59: the body of GET /credit is bare, without an envelope"
    ]
  ],
  [
    "used credits are negative",
    onPath("/credit", (said) => edit(said, (json) => (json.total_capacity_used = -1))),
    ["2.4: neither number is negative"]
  ],
  [
    "errors are HTML",
    (said) =>
      said.status === 401
        ? { ...said, headers: { ...said.headers, "content-type": "text/html" }, body: "<h1>401</h1>" }
        : said,
    [
      /401 invalid_token$/,
      /^5.1: (a token in the query|client credentials)/,
      /^5.7: a task's token/,
      /^decision (12|4): a refusal of (GET|POST)/,
      /is no page and no empty body$/
    ]
  ],
  [
    "errors are empty",
    (said) => (said.status === 401 ? { ...said, body: "" } : said),
    [
      /401 invalid_token$/,
      /^5.1: (a token in the query|client credentials)/,
      /^5.7: a task's token/,
      /^decision (12|4): a refusal of (GET|POST)/,
      /is no page and no empty body$/
    ]
  ],
  [
    "403 does not say which scope",
    (said) => {
      if (said.status === 403) said.headers["www-authenticate"] = 'Bearer error="insufficient_scope"'
      return said
    },
    [/^5.6: .* WWW-Authenticate names the scope$/, /^decision 51: .* lists the scopes/]
  ],
  [
    "a missing token is told as an error",
    (said, { headers }) => {
      if (headers.authorization === undefined) said.headers["www-authenticate"] = 'Bearer error="invalid_token"'
      return said
    },
    [/^decision 11: (GET|POST) .* without an error$/]
  ],
  [
    "a token in the query opens",
    (said, { query }) => (query.has("access_token") ? { ...said, status: 200, body: "{}" } : said),
    ["5.1: a token in the query is not one"]
  ],
  [
    "every origin is allowed",
    (said) => ({ ...said, headers: { ...said.headers, "access-control-allow-origin": "*" } }),
    [/^decision 22: (CORS|OPTIONS)/]
  ],
  [
    "every answer has the same request id",
    (said) => {
      said.headers["x-request-id"] = "r-0"
      if (said.status >= 400) edit(said, (json) => (json.request_id = "r-0"))
      return said
    },
    ["decision 12: every answer has a request id of its own"]
  ]
]

describe("the suite against a small service", () => {
  it.scopedLive("passes the service that keeps the document", () =>
    Effect.gen(function* () {
      const { bad, results } = yield* differing(undefined)
      assert.deepStrictEqual(bad, [])
      assert.isAbove(results.length, 90)
    })
  )

  for (const [name, fault, expected] of faults) {
    it.scopedLive(`sees that ${name}, and nothing else`, () =>
      Effect.gen(function* () {
        const { bad } = yield* differing(fault)
        const seen = (rule: string | RegExp) => (check: string) =>
          typeof rule === "string" ? check === rule : rule.test(check)
        assert.deepStrictEqual(
          bad.filter((check) => !expected.some((rule) => seen(rule)(check))),
          [],
          "checks that should have passed"
        )
        for (const rule of expected) assert.isTrue(bad.some(seen(rule)), `no check saw ${String(rule)}`)
      })
    )
  }

  it.scopedLive("calls a ruling that is read otherwise a difference, unless it is strict", () =>
    Effect.gen(function* () {
      const fault: Service.Fault = (said) => (said.status === 405 ? { ...said, status: 404 } : said)
      const { results } = yield* differing(fault, false)
      const verdicts = new Set(results.map(({ verdict }) => verdict))
      assert.deepStrictEqual([...verdicts].sort(), ["differs", "passed"])
    })
  )
})
