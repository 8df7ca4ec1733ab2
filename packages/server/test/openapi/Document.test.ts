import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import * as Effect from "effect/Effect"
import * as Api from "../support/Api.ts"
import * as Described from "../support/Described.ts"
import * as TestServer from "../support/TestServer.ts"

type Document = Record<string, any>

const started = (options: Parameters<typeof TestServer.make>[0] = {}) =>
  Effect.gen(function* () {
    const server = yield* TestServer.make(options)
    const { json, status } = yield* Api.request(server, "/openapi.json")
    assert.strictEqual(status, 200)
    const document: Document = json
    const described = Described.make(document)
    /** What in the answer to a request is not as the document says. */
    const faults = (path: string, method: string, answer: Api.Answer) => described({ ...answer, path, method })
    return { server, document, faults }
  })

describe("Document", () => {
  it.scopedLive("is valid OpenAPI 3.1 without internal names", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      const result = yield* Effect.promise(() => new Validator().validate(structuredClone(document)))
      assert.isTrue(result.valid, JSON.stringify(result.errors))
      const text = JSON.stringify(document)
      for (const word of ["_tag", "@heddle", "Redacted", "HttpApiDecodeError", "decoded", '"null"']) {
        assert.notInclude(text, word)
      }
    })
  )

  it.scopedLive("lists the scope of every operation (5.5), and its possible errors", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      const scopes: Record<string, unknown> = {}
      for (const [path, methods] of Object.entries<Document>(document["paths"])) {
        for (const [method, operation] of Object.entries<Document>(methods)) {
          scopes[`${method} ${path.replace("/openapi/v2", "")}`] = operation["security"][0]?.oauth2?.[0]
          const errors = Object.keys(operation["responses"]).filter((status) => status >= "400")
          assert.includeMembers(errors, ["429", "500", "503"])
          if (operation["security"].length > 0) assert.includeMembers(errors, ["401", "403"])
          if (operation["requestBody"] !== undefined) assert.includeMembers(errors, ["400", "413"])
        }
      }
      assert.deepStrictEqual(scopes, {
        "get /authorize": undefined,
        "post /authorize": undefined,
        "post /token": undefined,
        "get /user/profile": "user.profile.readable",
        "post /user/phoneverification": "user.contact.readable",
        "get /credit": "user.credit.readable",
        "get /localassistant": "user.localassistant.readable",
        "post /localassistant/message": "user.localassistant.invokable",
        "get /localassistant/message": "user.localassistant.readable",
        "post /tasks": "user.task.invokable",
        "get /tasks": "user.task.readable",
        "get /tasks/{task_id}": "user.task.readable",
        "get /agents": "user.task.invokable",
        "post /redemptions": "user.credit.exchange"
      })
    })
  )

  it.scopedLive("states the limits of part 8, the idempotency key and the Location header", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      const { schemas } = document["components"]
      const bounds = (name: string) => {
        const { maxLength, minLength } = schemas.RedemptionRequest.properties[name]
        return [minLength, maxLength]
      }
      assert.deepStrictEqual(["code", "gift_key", "gift_code", "request_id"].map(bounds), [
        [1, 64],
        [6, 64],
        [8, 64],
        [8, 64]
      ])
      const create = document["paths"]["/openapi/v2/tasks"].post
      assert.strictEqual(create.parameters[0].name, "Idempotency-Key")
      assert.isDefined(create.responses["201"].headers.location)
      const parameters = document["paths"]["/openapi/v2/tasks"].get.parameters
      assert.deepInclude(parameters[1].schema, { minimum: 1, maximum: 100, default: 20 })
      assert.isUndefined(schemas.Task.properties.status.enum)
    })
  )

  it.scopedLive("describes the errors of forms and of the page as they come", () =>
    Effect.gen(function* () {
      const { faults, server } = yield* started()
      const send = (path: string, method: string, status: number, headers: Record<string, string>) =>
        Effect.gen(function* () {
          const init = { method, headers, ...(method === "POST" ? { body: "grant_type=x&client_id=x" } : {}) }
          const answer = yield* Api.request(server, `/openapi/v2${path}`, init)
          assert.strictEqual(answer.status, status, answer.text)
          assert.deepStrictEqual(faults(`/openapi/v2${path}`, method, answer), [], JSON.stringify(headers))
        })
      const html = { accept: "text/html" }
      const form = "application/x-www-form-urlencoded"
      yield* send("/token", "POST", 415, { "content-type": `${form}; charset=utf-16` })
      yield* send("/token", "POST", 415, { "content-type": form, "content-encoding": "gzip" })
      yield* send("/token", "POST", 400, { "content-type": "text/plain" })
      yield* send("/authorize?client_id=x", "GET", 400, html)
      yield* send("/authorize?client_id=x", "GET", 400, {})
      yield* send("/authorize", "POST", 400, { "content-type": form, ...html })
      yield* send("/authorize", "POST", 415, { "content-type": form, "content-encoding": "gzip", ...html })
    })
  )

  it.scopedLive("makes no field required in generated clients that callers may leave out", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      // A generator of types takes a property with a default for one that is always there.
      assert.notMatch(JSON.stringify(document["components"].schemas), /"default"/)
      assert.deepStrictEqual(document["components"].schemas.NewTask.required, ["prompt"])
    })
  )

  it.scopedLive("lists the grant type of devices, and its errors, only where the device flow is enabled", () =>
    Effect.gen(function* () {
      const [off = "", on = ""] = yield* Effect.forEach([false, true], (deviceFlow) =>
        Effect.map(started({ contract: { deviceFlow } }), ({ document }) =>
          JSON.stringify(document["paths"]["/openapi/v2/token"])
        )
      )
      const ofDevices = ["device_code", "authorization_pending", "slow_down", "expired_token"]
      for (const word of ofDevices) {
        assert.notInclude(off, word)
        assert.include(on, word)
      }
      for (const word of ["authorization_code", "refresh_token", "invalid_grant"]) assert.include(off, word)
    })
  )

  it.scopedLive("matches the service's responses", () =>
    Effect.gen(function* () {
      const { faults, server } = yield* started()
      const tokens = yield* Api.token(server, Api.codeFields(server, yield* Api.code(server)))
      assert.deepStrictEqual(faults("/openapi/v2/token", "post", tokens), [])
      const access = String(tokens.json["access_token"])
      const check = (path: string, init: { json?: unknown; token?: string; status: number }) =>
        Effect.gen(function* () {
          const answer = yield* Api.call(
            server,
            init.token ?? access,
            path,
            init.json === undefined ? {} : { json: init.json }
          )
          const method = init.json === undefined ? "get" : "post"
          assert.strictEqual(answer.status, init.status, `${method} ${path}: ${answer.text}`)
          assert.deepStrictEqual(faults(`/openapi/v2${path}`, method, answer), [], `${method} ${path}`)
          return answer
        })
      const narrow = yield* Api.connect(server, { scope: "user.profile.readable" })
      const profile = yield* check("/user/profile", { status: 200 })
      const wrong = { ...profile, text: '{"nickname":1}' }
      assert.isNotEmpty(faults("/openapi/v2/user/profile", "get", wrong), "this test can fail")
      yield* check("/user/profile", { status: 401, token: "wrong" })
      yield* check("/credit", { status: 200 })
      yield* check("/credit", { status: 403, token: narrow.access_token })
      yield* check("/user/phoneverification", { json: { phone_number: "13812345678" }, status: 200 })
      yield* check("/user/phoneverification", { json: { phone_number: "1" }, status: 400 })
      yield* check("/localassistant", { status: 200 })
      yield* check("/localassistant", { status: 401, token: "wrong" })
      yield* check("/localassistant/message?limit=5", { status: 200 })
      yield* check("/localassistant/message", { json: { content: "hi", msg_type: "text" }, status: 404 })
      const created = yield* check("/tasks", { json: { prompt: "Count" }, status: 201 })
      yield* check("/tasks", { json: { prompt: "" }, status: 400 })
      yield* check("/tasks", { status: 200 })
      yield* check(`/tasks/${String(created.json["task_id"])}`, { status: 200 })
      yield* check("/tasks/unknown", { status: 404 })
      yield* check("/redemptions", { json: { code: "none", request_id: "12345678" }, status: 404 })
    })
  )

  it.scopedLive(
    "describes the device flow, revocation and introspection where they are enabled, matching their responses",
    () =>
      Effect.gen(function* () {
        const off = Object.keys((yield* started()).document["paths"])
        const contract = { deviceFlow: true, introspection: true, revocation: true }
        const { document, faults, server } = yield* started({ contract })
        const added = Object.keys(document["paths"]).filter((path) => !off.includes(path))
        assert.deepStrictEqual(added.sort(), [
          "/openapi/v2/device_authorization",
          "/openapi/v2/introspect",
          "/openapi/v2/revoke"
        ])
        const { access_token } = yield* Api.connect(server)
        const client = { client_id: server.clientId, client_secret: server.clientSecret, token: access_token }
        for (const [path, fields, status] of [
          ["/openapi/v2/device_authorization", client, 200],
          ["/openapi/v2/introspect", client, 200],
          ["/openapi/v2/revoke", client, 200],
          ["/openapi/v2/introspect", client, 200],
          ["/openapi/v2/revoke", { ...client, client_secret: "wrong" }, 401],
          ["/openapi/v2/device_authorization", { ...client, scope: "no" }, 400]
        ] as const) {
          const answer = yield* Api.request(server, path, { method: "POST", body: new URLSearchParams(fields) })
          assert.strictEqual(answer.status, status, path)
          assert.deepStrictEqual(faults(path, "post", answer), [], path)
        }
      })
  )

  for (const errorShape of ["superset", "oauth", "envelope"] as const) {
    it.scopedLive(`describes errors of the shape ${errorShape} as they come`, () =>
      Effect.gen(function* () {
        const { document, faults, server } = yield* started({ contract: { errorShape } })
        for (const path of ["/openapi/v2/credit", "/openapi/v2/localassistant"]) {
          const answer = yield* Api.request(server, path)
          assert.deepStrictEqual(faults(path, "get", answer), [])
          const name = path.endsWith("credit") ? "Error" : "EnvelopedError"
          const said = Object.keys(document["components"].schemas[name].properties).sort()
          assert.deepStrictEqual(Object.keys(answer.json).sort(), said)
        }
      })
    )
  }
})
