import { assert, describe, it } from "@effect/vitest"
import { groups } from "@heddle/conformance/Catalogue"
import * as Runner from "@heddle/conformance/Runner"
import type { Settings } from "@heddle/conformance/Settings"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Service from "./Service.ts"

const settings = (baseUrl: string): Settings => ({
  baseUrl,
  values: new Map([
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
const hasSetting = (name: string) => settings("").values.has(name as "phone")

/** The checks that a service of profile, credits and tasks can keep. */
const chosen = groups
  .filter(({ title }) =>
    ["Profile", "Credit", "Tasks", "Task list", "Bearer tokens and scopes", "Answers in general"].includes(title)
  )
  .map((group) => ({
    ...group,
    checks: group.checks.filter(({ name, needs }) => !foreign.test(name) && needs.every(hasSetting))
  }))

/** What differs where a refusal has no error body. */
const noErrorBody = [
  /^decision (4|11): .* is 401 invalid_token$/,
  /^decision (12|4): a refusal of (GET|POST)/,
  /^decision 20: .* is neither a page nor an empty body$/
]

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
  (path: string, change: (response: Service.ServiceResponse, request: Service.ServiceRequest) => void): Service.Fault =>
  (response, request) => {
    if (request.path === `/openapi/v2${path}` && response.status === 200) change(response, request)
    return response
  }

const edit = (response: Service.ServiceResponse, change: (json: any) => void) => {
  const json = JSON.parse(response.body)
  change(json)
  response.body = JSON.stringify(json)
}

let everything = "{}"

/** A fault, and the checks that see it: all of them and no other. */
const faults: ReadonlyArray<readonly [fault: string, Service.Fault, bad: ReadonlyArray<string | RegExp>]> = [
  [
    "page=0 is taken as it is",
    onPath("/tasks", (response, { query }) => {
      if (query.get("page") === "0") edit(response, (json) => (json.pagination.page = 0))
    }),
    ["4.10: page=0 counts as 1"]
  ],
  [
    "size has no upper bound",
    onPath("/tasks", (response, { query }) => {
      const size = Number(query.get("size"))
      if (size > 100) edit(response, (json) => (json.pagination.size = size))
    }),
    ["4.10: size=101 counts as 100", "4.10: size=1000000 counts as 100"]
  ],
  [
    "1.5 is read as 1.5",
    onPath("/tasks", (response, { query }) => {
      if (query.get("size") === "1.5") edit(response, (json) => (json.pagination.size = 1.5))
    }),
    ["decision 83: size=1.5 is not an integer and counts as 20"]
  ],
  [
    "a new task does not tell its agent",
    (response) => {
      if (response.status === 201) edit(response, (json) => delete json.agent)
      return response
    },
    [
      "decision 122: a task without an agent has the first one that the service lists",
      "decision 122: a task has the agent that its creation names, also when it is read"
    ]
  ],
  [
    "the agents are listed to everybody",
    (response, { path }) =>
      path === "/openapi/v2/agents"
        ? { ...response, status: 200, body: '{"agents":[{"name":"claude"},{"name":"codex"}]}' }
        : response,
    ["decision 122: the agents are not listed without an access token"]
  ],
  [
    "total is a text",
    onPath("/tasks", (response) => edit(response, (json) => (json.total = String(json.total)))),
    [
      "4.10: total is an integer of 0 or more",
      "4.10: size=1 returns one task and the total number",
      "decision 82: total and pagination.total are equal"
    ]
  ],
  [
    "tasks is absent",
    onPath("/tasks", (response) => edit(response, (json) => delete json.tasks)),
    [
      "4.10: tasks is an array",
      "4.10: size=1 returns one task and the total number",
      "4.10: a created task is in the list",
      "3: every status is in the table",
      "decision 24: times have the format 2026-01-02T03:04:05.678Z",
      "decision 83: the newest task comes first",
      /^2.8: /,
      "decision 83: a page past the end is 200 with no tasks",
      "decision 83: a page far past the end is 200 with no tasks"
    ]
  ],
  [
    "a token is in the list",
    onPath("/tasks", (response, { method }) => {
      if (method === "GET") edit(response, (json) => json.tasks.forEach((task: any) => (task.token = "leaked")))
    }),
    ["2.8: no element has token or expire_at"]
  ],
  [
    "the list shows everyone's tasks",
    (response, { headers, path }) => {
      if (path.endsWith("/tasks") && headers.authorization?.includes(Service.tokens.other)) response.body = everything
      if (path.endsWith("/tasks") && response.body.includes('"pagination"')) everything = response.body
      return response
    },
    ["4.10: another user does not see the task"]
  ],
  [
    "another user's task is shown with its token",
    (response, { headers, path }) => {
      if (!/tasks\/./.test(path)) return response
      const other = headers.authorization?.includes(Service.tokens.other) === true
      if (!other && response.status === 200) everything = response.body
      return other ? { ...response, status: 200, body: everything } : response
    },
    ["4.11: another user does not get the task's token", "decision 85: another user's task is 404 not_found"]
  ],
  [
    "a task is created with 200",
    (response) => (response.status === 201 ? { ...response, status: 200 } : response),
    [/^4.9: returns 201/, /^decision 81: (a repeated|Location)/]
  ],
  [
    "a repeated key makes another task",
    (response, { headers }) => {
      if (headers["idempotency-key"] !== undefined) edit(response, (json) => (json.task_id += Math.random()))
      return response
    },
    ["decision 81: a repeated Idempotency-Key returns the same task"]
  ],
  [
    "the end of a token is not told",
    (response, { method, path }) => {
      if (method === "GET" && /tasks\/./.test(path) && response.status === 200)
        edit(response, (json) => delete json.expire_at)
      return response
    },
    ["decision 77: expire_at comes with every token", "decision 77: a token is valid for at most 3 days"]
  ],
  [
    "a missing task is 500",
    (response, { path }) =>
      /tasks\/0000/.test(path) && response.status === 404 ? { ...response, status: 500 } : response,
    ["7.1: a task that does not exist is 404 not_found"]
  ],
  [
    "a wrong method is 404",
    (response) => (response.status === 405 ? { ...response, status: 404 } : response),
    [/^decision 19: (DELETE|PUT) /]
  ],
  [
    "a 405 lacks Allow",
    (response) => {
      delete response.headers["allow"]
      return response
    },
    [/^decision 19: (DELETE|PUT) /]
  ],
  [
    "request_id is missing in error bodies",
    (response) => {
      if (response.status >= 400) edit(response, (json) => delete json.request_id)
      return response
    },
    [/^decision (12|4): a refusal of (GET|POST)/, /^decision 8: a 404/]
  ],
  [
    "the profile may be cached",
    onPath("/user/profile", (response) => delete response.headers["cache-control"]),
    ["4.3: Cache-Control is private, no-store"]
  ],
  [
    "the profile has no charset",
    onPath("/user/profile", (response) => (response.headers["content-type"] = "application/json")),
    ["4.3: the Content-Type is application/json; charset=utf-8"]
  ],
  [
    "credits are in an envelope",
    onPath(
      "/credit",
      (response) => (response.body = JSON.stringify({ code: 0, msg: "success", data: JSON.parse(response.body) }))
    ),
    [
      "2.4: total_capacity_size is an integer",
      "2.4: total_capacity_used is an integer",
      "2.4: neither number is negative",
      "decision 59: the body of GET /credit is bare, without an envelope"
    ]
  ],
  [
    "used credits are negative",
    onPath("/credit", (response) => edit(response, (json) => (json.total_capacity_used = -1))),
    ["2.4: neither number is negative"]
  ],
  [
    "errors are HTML",
    (response) =>
      response.status === 401
        ? { ...response, headers: { ...response.headers, "content-type": "text/html" }, body: "<h1>401</h1>" }
        : response,
    noErrorBody
  ],
  ["errors are empty", (response) => (response.status === 401 ? { ...response, body: "" } : response), noErrorBody],
  [
    "403 does not say which scope",
    (response) => {
      if (response.status === 403) response.headers["www-authenticate"] = 'Bearer error="insufficient_scope"'
      return response
    },
    [/^5.6: .* WWW-Authenticate names the scope$/, /^decision 51: .* lists its scopes/]
  ],
  [
    "a missing token is reported as an error",
    (response, { headers }) => {
      if (headers.authorization === undefined) response.headers["www-authenticate"] = 'Bearer error="invalid_token"'
      return response
    },
    [/^decision 11: (GET|POST) .* without an error$/]
  ],
  [
    "a token in the query opens",
    (response, { query }) => (query.has("access_token") ? { ...response, status: 200, body: "{}" } : response),
    ["5.1: a token in the query is 401"]
  ],
  [
    "every origin is allowed",
    (response) => ({ ...response, headers: { ...response.headers, "access-control-allow-origin": "*" } }),
    [/^decision 22: (CORS|OPTIONS)/]
  ],
  [
    "every answer has the same request id",
    (response) => {
      response.headers["x-request-id"] = "r-0"
      if (response.status >= 400) edit(response, (json) => (json.request_id = "r-0"))
      return response
    },
    ["decision 12: every response has a different request id"]
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

  it.scopedLive("reports an unmet decision as a difference, and as a failure with --strict", () =>
    Effect.gen(function* () {
      const fault: Service.Fault = (response) => (response.status === 405 ? { ...response, status: 404 } : response)
      const { results } = yield* differing(fault, false)
      const verdicts = new Set(results.map(({ verdict }) => verdict))
      assert.deepStrictEqual([...verdicts].sort(), ["differs", "passed"])
    })
  )
})
