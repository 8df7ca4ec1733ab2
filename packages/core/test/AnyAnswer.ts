import * as HttpApiClient from "@effect/platform/HttpApiClient"
import { OpenApi } from "@heddle/core/api/OpenApi"
import { PhoneNumber } from "@heddle/core/domain/PhoneVerification"
import { RedemptionRequest } from "@heddle/core/domain/Redemption"
import { NewTask, TaskId } from "@heddle/core/domain/Task"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as Transport from "@heddle/core/Transport"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Redacted from "effect/Redacted"

/** What the calls carry, and no error may show. */
export const secrets = {
  accessToken: "at-Q7xz.9+/=",
  clientSecret: "cs <k>&é9",
  code: "Code 42'x",
  verifier: "ver~77-abc",
  refreshToken: 'rt"\\00x',
  giftCode: "GIFT-8812",
  giftKey: "KEY-0007",
  redemptionCode: "R3DEEM-1",
  phone: "+86 138-1234-5678"
}
export type Secret = keyof typeof secrets
const seeded = Object.values(secrets)

const echoes = seeded.flatMap((secret) => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  `Bearer ${secret}`,
  `you sent ${secret}, sorry`,
  secret.split("").join("\u0001").slice(0, 3) + secret
])

export const redacted = (name: Secret) => Redacted.make(secrets[name])

type Api = Effect.Effect.Success<ReturnType<typeof derive>>
export const derive = (httpClient: Transport.Transport) => HttpApiClient.makeWith(OpenApi, { httpClient })

const calls: ReadonlyArray<
  readonly [
    Operation.Operation,
    ReadonlyArray<Secret>,
    (api: Api) => Effect.Effect<unknown, OpenApiError.OpenApiError | Transport.DerivedError>
  ]
> = [
  [Operation.profile, [], (api) => api.user.profile({})],
  [Operation.credit, [], (api) => api.user.credit({})],
  [
    Operation.verifyPhone,
    ["phone"],
    (api) => api.user.verifyPhone({ payload: new PhoneNumber({ phoneNumber: redacted("phone") }) })
  ],
  [
    Operation.redeem,
    ["redemptionCode"],
    (api) =>
      api.redemptions.redeem({
        payload: new RedemptionRequest({ code: redacted("redemptionCode"), requestId: "key-12345" })
      })
  ],
  [
    Operation.redeem,
    ["giftCode", "giftKey"],
    (api) =>
      api.redemptions.redeem({
        payload: new RedemptionRequest({
          giftKey: redacted("giftKey"),
          giftCode: redacted("giftCode"),
          requestId: "key-12345"
        })
      })
  ],
  [Operation.createTask, [], (api) => api.tasks.create({ payload: new NewTask({ prompt: "p" }), headers: {} })],
  [Operation.getTask, [], (api) => api.tasks.get({ path: { task_id: TaskId.make("t") } })],
  [Operation.listTasks, [], (api) => api.tasks.list({ urlParams: {} })],
  [Operation.messages, [], (api) => api.assistant.messages({ urlParams: {} })],
  [
    Operation.exchange,
    ["clientSecret", "code", "verifier"],
    (api) =>
      api.token.token({
        payload: {
          grantType: "authorization_code",
          code: redacted("code"),
          clientId: "id",
          clientSecret: redacted("clientSecret"),
          redirectUri: "https://a.b/",
          codeVerifier: redacted("verifier")
        }
      })
  ],
  [
    Operation.refresh,
    ["clientSecret", "refreshToken"],
    (api) =>
      api.token.token({
        payload: {
          grantType: "refresh_token",
          refreshToken: redacted("refreshToken"),
          clientId: "id",
          clientSecret: redacted("clientSecret")
        }
      })
  ]
]

// What may come over HTTP.
const word = FastCheck.oneof(
  FastCheck.constantFrom("invalid_request", "invalid_grant", "Unauthorized", "forbidden", "success", "0", "slow_down"),
  FastCheck.constantFrom(...echoes),
  FastCheck.string({ unit: "binary" })
)
const value = FastCheck.oneof(word, word, FastCheck.jsonValue(), FastCheck.constantFrom(0, 7, null, -1, 2 ** 60))
const names = ["error", "code", "msg", "message", "error_description", "request_id", "scope", "data", "type"]
const fields = ["nickname", "task_id", "status", "tasks", "total", "access_token", "matched", "credits", "flow_no"]
const record = FastCheck.dictionary(FastCheck.constantFrom(...names, ...fields), value, { maxKeys: 8 })
const deep = FastCheck.tuple(
  FastCheck.constantFrom('{"error":', '{"code":0,"data":', '{"data":{"messages":', "[", ""),
  FastCheck.constantFrom(50, 5_000, 50_000),
  FastCheck.constantFrom("[", '{"a":')
).map(([start, depth, open]) => start + open.repeat(depth))
const body = FastCheck.oneof(
  { weight: 4, arbitrary: record.map((each) => JSON.stringify(each)) },
  {
    weight: 2,
    arbitrary: record.map((each) => JSON.stringify({ code: 0, msg: "success", request_id: "r", data: each }))
  },
  {
    weight: 2,
    arbitrary: FastCheck.tuple(word, word).map(([code, message]) => JSON.stringify({ error: { code, message } }))
  },
  { weight: 2, arbitrary: record.map((each) => JSON.stringify(each).slice(0, -3)) },
  { weight: 2, arbitrary: word },
  { weight: 1, arbitrary: word.map((text) => `<html><head><title>${text}</title></head><body>${text}`) },
  { weight: 1, arbitrary: FastCheck.json() },
  { weight: 1, arbitrary: FastCheck.constantFrom("", " ", "\u0000", "\ufeff{}", "null", "[]", "1e999") },
  {
    weight: 1,
    arbitrary: FastCheck.uint8Array({ maxLength: 64 }).map((bytes) => new TextDecoder("latin1").decode(bytes))
  }
)
const rareBody = FastCheck.oneof(
  { weight: 400, arbitrary: body },
  { weight: 4, arbitrary: deep },
  { weight: 2, arbitrary: word.map((text) => text.padEnd(200_000, `${text}x`)) }
)
const headerValue = FastCheck.oneof(
  word.map((text) => text.replace(/[^\t\x20-\x7e\x80-\xff]/g, "")),
  word.map(
    (text) => `Bearer error="${text.replace(/[^\x20-\x7e]/g, "")}", scope="a ${text.replace(/[^\x20-\x7e]/g, "")}"`
  ),
  FastCheck.constantFrom(
    "0",
    "30",
    "-1",
    "1e9",
    "soon",
    "Sat, 21 Nov 2026 10:00:10 GMT",
    "@1",
    'Bearer a="',
    "Basic , ,"
  )
)
const headers = FastCheck.dictionary(
  FastCheck.constantFrom(
    "www-authenticate",
    "retry-after",
    "date",
    "x-request-id",
    "request-id",
    "content-type",
    "deprecation",
    "sunset",
    "location"
  ),
  headerValue
)
const anyStatus = FastCheck.oneof(
  FastCheck.constantFrom(200, 200, 201, 400, 401, 403, 404, 409, 412, 429, 500, 503),
  FastCheck.integer({ min: 200, max: 599 })
)
export type Ending = "whole" | "broken" | "dripped"
const ending = FastCheck.constantFrom<Ending>("whole", "whole", "whole", "broken", "dripped")

/** The refusals that the document names, which chance alone would hardly ever put together. */
const documented = FastCheck.constantFrom<readonly [status: number, word: string]>(
  [400, "invalid_request"],
  [400, "invalid_grant"],
  [400, "unsupported_grant_type"],
  [400, "invalid_scope"],
  [400, "authorization_pending"],
  [400, "slow_down"],
  [400, "expired_token"],
  [401, "invalid_token"],
  [401, "invalid_client"],
  [401, "unauthorized"],
  [403, "access_denied"],
  [403, "forbidden"],
  [403, "permission_denied"],
  [403, "insufficient_scope"],
  [404, "not_found"],
  [409, "invalid_request"],
  [412, "invalid_request"],
  [429, "rate_limited"],
  [500, "server_error"],
  [502, "server_error"],
  [503, "temporarily_unavailable"],
  [504, "server_error"],
  [405, "invalid_request"]
)
const refusal = FastCheck.tuple(documented, word).map(
  ([[status, error], description]) => [status, JSON.stringify({ error, error_description: description })] as const
)

/** What every operation of {@link calls} takes for its success: fields that it does not know do not matter. */
const sufficient = {
  nickname: "Ada",
  total_capacity_size: 10,
  total_capacity_used: "3",
  matched: true,
  status: "success",
  flow_no: "F1",
  credits: 5,
  task_id: "t",
  tasks: [],
  total: 0,
  pagination: { page: 1, size: 20, total: 0 },
  messages: [{ message_id: "m", role: "user" }],
  access_token: "a new one",
  token_type: "bearer",
  expires_in: 3600
}
const success = FastCheck.tuple(
  FastCheck.boolean(),
  FastCheck.option(FastCheck.tuple(FastCheck.constantFrom(...Object.keys(sufficient)), value), { freq: 2 })
).map(([isEnveloped, change]) => {
  const data = change === null ? sufficient : { ...sufficient, [change[0]]: change[1] }
  return JSON.stringify(isEnveloped ? { code: 0, msg: "success", request_id: "r", data } : data)
})

/** A call with its secrets, and any answer to it: status, headers, body and how the body ends. */
export const anyAnswer = FastCheck.oneof(
  {
    weight: 1,
    arbitrary: FastCheck.tuple(
      FastCheck.constantFrom(...calls),
      FastCheck.constantFrom(200, 201, 206),
      headers,
      success,
      ending
    )
  },
  { weight: 7, arbitrary: FastCheck.tuple(FastCheck.constantFrom(...calls), anyStatus, headers, rareBody, ending) },
  {
    weight: 2,
    arbitrary: FastCheck.tuple(FastCheck.constantFrom(...calls), refusal, headers, ending).map(
      ([call, [status, text], headers, end]) => [call, status, headers, text, end] as const
    )
  }
)
