import { assert, describe, it } from "@effect/vitest"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import { OpenApi } from "@heddle/core/api/OpenApi"
import * as BaseUrl from "@heddle/core/BaseUrl"
import { PhoneNumber } from "@heddle/core/domain/PhoneVerification"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import { NewMessage } from "@heddle/core/domain/AssistantMessage"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as Transport from "@heddle/core/Transport"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"
import * as Memory from "./Memory.ts"

type Api = Effect.Effect.Success<ReturnType<typeof derive>>
const derive = (httpClient: Transport.Transport) => HttpApiClient.makeWith(OpenApi, { httpClient })

/** Calls one operation, whose answer is `body`. */
const call = (
  operation: Operation.Operation,
  send: (api: Api) => Effect.Effect<unknown, OpenApiError | Transport.DerivedError>,
  body: unknown
) =>
  Effect.gen(function* () {
    const { httpClient } = Memory.make(() => Memory.json(200, body, { "x-request-id": "req-7" }))
    const baseUrl = yield* BaseUrl.make("https://example.com")
    return yield* Transport.run(operation, send(yield* derive(Transport.make({ httpClient, baseUrl }))))
  })

const redacted = Redacted.make("s")
const getTask = (api: Api) => api.tasks.get({ path: { task_id: TaskId.make("t") } })
const refresh = (api: Api) =>
  api.token.token({
    payload: { grantType: "refresh_token", refreshToken: redacted, clientId: "i", clientSecret: redacted }
  })

interface Model {
  readonly operation: Operation.Operation
  readonly send: Parameters<typeof call>[1]
  /** The least that the contract promises. */
  readonly least: Record<string, unknown>
  /** What a newer or another server might write. */
  readonly odd: Record<string, unknown>
  /** Fields of a wrong type, each with the path by which it is reported. */
  readonly wrong: ReadonlyArray<readonly [change: Record<string, unknown>, path: string]>
}

const secret = "never-show-me"
const item = { task_id: "t", status: "idle" }
const message = { message_id: "m", role: "user" }

const models: Record<string, Model> = {
  Profile: {
    operation: Operation.profile,
    send: (api) => api.user.profile({}),
    least: {},
    odd: { nickname: null, avatar: "", level: { gold: true } },
    wrong: [[{ nickname: [secret] }, "nickname"]]
  },
  CreditQuota: {
    operation: Operation.credit,
    send: (api) => api.user.credit({}),
    least: { total_capacity_size: 1, total_capacity_used: 2 },
    odd: { total_capacity_size: "5", plan: "new" },
    wrong: [
      [{ total_capacity_used: secret }, "total_capacity_used"],
      [{ total_capacity_size: 2 ** 60 }, "total_capacity_size"],
      [{ total_capacity_size: undefined }, "total_capacity_size"]
    ]
  },
  PhoneVerification: {
    operation: Operation.verifyPhone,
    send: (api) => api.user.verifyPhone({ payload: new PhoneNumber({ phoneNumber: redacted }) }),
    least: { matched: true },
    odd: { carrier: "x" },
    wrong: [[{ matched: secret }, "matched"]]
  },
  AssistantStatus: {
    operation: Operation.assistantStatus,
    send: (api) => api.assistant.status({}),
    least: { online: false },
    odd: { since: 1 },
    wrong: [[{ online: secret }, "data.online"]]
  },
  "message id": {
    operation: Operation.sendMessage,
    send: (api) => api.assistant.send({ payload: new NewMessage({ content: "c", msgType: "text" }), headers: {} }),
    least: { message_id: "m" },
    odd: { queued: true },
    wrong: [[{ message_id: [secret] }, "data.message_id"]]
  },
  AssistantMessage: {
    operation: Operation.messages,
    send: (api) => api.assistant.messages({ urlParams: {} }),
    least: { messages: [message] },
    odd: {
      messages: [
        {
          ...message,
          role: "supervisor",
          msg_type: "hologram",
          content: ["a", { type: "new" }],
          attachments: [1],
          metadata: null,
          mood: 1
        }
      ]
    },
    wrong: [
      [{ messages: [message, { ...message, role: { secret } }] }, "data.messages.1.role"],
      [{ messages: [{ ...message, content: secret }] }, "data.messages.0.content"]
    ]
  },
  Redemption: {
    operation: Operation.redeem,
    send: (api) =>
      api.redemptions.redeem({ payload: new RedemptionRequest({ code: redacted, requestId: "r".repeat(8) }) }),
    least: { status: "success", flow_no: "f", credits: 1 },
    odd: { status: "in_review", credits: "9", bonus: {} },
    wrong: [
      [{ credits: secret }, "credits"],
      [{ flow_no: 7 }, "flow_no"]
    ]
  },
  Task: {
    operation: Operation.getTask,
    send: getTask,
    least: item,
    odd: { status: "HIBERNATING", link: null, token: null, expire_at: "1800000000", region: "moon" },
    wrong: [
      [{ token: { secret } }, "token"],
      [{ expire_at: secret }, "expire_at"],
      [{ task_id: undefined }, "task_id"]
    ]
  },
  "Task, created": {
    operation: Operation.createTask,
    send: (api) => api.tasks.create({ payload: new NewTask({ prompt: "p" }), headers: {} }),
    least: item,
    odd: { status: "CREATING", sandboxLink: null },
    wrong: [[{ status: 7 }, "status"]]
  },
  TaskPage: {
    operation: Operation.listTasks,
    send: (api) => api.tasks.list({ urlParams: {} }),
    least: { tasks: [item], total: 1, pagination: { page: 1, size: 1, total: 1 } },
    odd: { tasks: [{ ...item, status: "Shelved", owner: "x" }], total: "1", cursor: "c" },
    wrong: [
      [{ tasks: [item, { ...item, name: { secret } }] }, "tasks.1.name"],
      [{ tasks: secret }, "tasks"],
      [{ pagination: { page: 1, size: secret, total: 1 } }, "pagination.size"]
    ]
  },
  TokenResponse: {
    operation: Operation.refresh,
    send: refresh,
    least: { access_token: "a" },
    odd: { token_type: "DPoP", expires_in: "3600.5", refresh_token: null, scope: "a new.scope", id_token: "x" },
    wrong: [
      [{ access_token: [secret] }, "access_token"],
      [{ refresh_token: { secret } }, "refresh_token"],
      [{ expires_in: secret }, "expires_in"]
    ]
  }
}

describe.each(Object.entries(models))("%s", (_, { least, odd, operation, send, wrong }) => {
  it.effect("needs only the fields that the contract promises", () => call(operation, send, least))

  it.effect("accepts unknown words and fields, and null for absent", () => call(operation, send, { ...least, ...odd }))

  it.effect("drops unknown fields, which may hold a token (contract decision 21)", () =>
    Effect.gen(function* () {
      const read = yield* call(operation, send, { ...least, next_token: secret })
      assert.notInclude(inspect(read, { depth: 9, showHidden: true }) + JSON.stringify(read), secret)
    })
  )

  it.effect("is the same in an envelope and without one (contract decision 59)", () =>
    Effect.gen(function* () {
      const bare = yield* call(operation, send, least)
      const wrapped = yield* call(operation, send, { code: 0, msg: "success", request_id: "r", data: least })
      assert.strictEqual(inspect(wrapped, { depth: 9 }), inspect(bare, { depth: 9 }))
    })
  )

  it.effect("reports a field of the wrong type by its path and never by its value", () =>
    Effect.gen(function* () {
      for (const [change, path] of wrong) {
        const error = yield* Effect.flip(call(operation, send, { ...least, ...change }))
        assert.deepInclude({ ...error }, { _tag: "ContractViolation", path, status: 200, requestId: "req-7" })
        assert.notInclude(inspect(error, { depth: 9 }) + JSON.stringify(error) + error.message, secret)
      }
    })
  )
})

describe("open words", () => {
  it.effect("are kept as they were written", () =>
    Effect.gen(function* () {
      const task = yield* call(Operation.getTask, getTask, { ...item, status: "Hibernating" })
      assert.deepInclude(task as object, { status: "Hibernating" })
      const known = yield* call(Operation.getTask, getTask, { ...item, status: "Working" })
      assert.deepInclude(known as object, { status: "working" })
      const list = (api: Api) => api.assistant.messages({ urlParams: {} })
      const page = yield* call(Operation.messages, list, { messages: [{ ...message, role: "supervisor" }] })
      assert.include(inspect(page, { depth: 9 }), "supervisor")
    })
  )

  it.effect("of an envelope that promises a trace id reach the violation", () =>
    Effect.gen(function* () {
      const body = { code: 0, msg: "success", request_id: "env-1", data: { ...item, status: 7 } }
      const error = yield* Effect.flip(call(Operation.getTask, getTask, body))
      assert.propertyVal(error, "requestId", "env-1")
    })
  )
})
