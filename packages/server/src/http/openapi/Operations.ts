import type { Json } from "./StrictSchema.ts"

/** What is said of an operation beside what the contract holds. */
export interface Operation {
  readonly summary: string
  readonly description?: string
  /** The component of the request's body. */
  readonly takes?: string
  /** The component of the answer, or of its `data` where it comes in an envelope. */
  readonly gives: string
  readonly enveloped?: boolean
  /** What can go wrong beside what can with every operation. */
  readonly errors: ReadonlyArray<number>
  readonly parameters?: Readonly<Record<string, Json>>
  /** Headers of the success, by the names of the document's header components. */
  readonly headers?: ReadonlyArray<string>
}

const idempotencyKey: Json = {
  name: "Idempotency-Key",
  description:
    "Makes the request safe to repeat for 24 hours: the same key with the same body gives the same result, with another body 409.",
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[\\x21-\\x7e]+$" }
}

const whole = (what: Json, description: string): Json => ({ description, schema: { type: "integer", ...what } })

/** The operations by their ids. */
export const operations: Readonly<Record<string, Operation>> = {
  "token.token": {
    summary: "Exchange a code, or refresh",
    description:
      "The application proves itself by `client_id` and `client_secret` in the form, or by HTTP Basic. A field may be given once only.",
    gives: "TokenResponse",
    errors: [400, 401, 413]
  },
  "token.startDevice": {
    summary: "Start the authorization of a device without a browser",
    description: "The device shows `user_code` and `verification_uri`, and polls the token endpoint (RFC 8628).",
    gives: "DeviceAuthorization",
    errors: [400, 401, 413]
  },
  "token.revoke": {
    summary: "Take a token back",
    description:
      "An access token alone, a refresh token with everything that was issued beside it. The answer is the same for tokens that are unknown (RFC 7009).",
    gives: "Revocation",
    errors: [400, 401, 413]
  },
  "token.introspect": {
    summary: "Ask about an own token",
    gives: "Introspection",
    errors: [400, 401, 413]
  },
  "user.profile": { summary: "Read nickname and avatar", gives: "Profile", errors: [] },
  "user.verifyPhone": {
    summary: "Compare a mobile number with the user's",
    description: "The user's number is never told. Ten numbers an hour may be tried for each user and application.",
    takes: "PhoneNumber",
    gives: "PhoneVerification",
    errors: [400, 413, 415]
  },
  "user.credit": { summary: "Read the credit quota", gives: "CreditQuota", errors: [] },
  "assistant.status": {
    summary: "Ask whether the local assistant is online",
    gives: "AssistantStatus",
    enveloped: true,
    errors: []
  },
  "assistant.send": {
    summary: "Send the local assistant a message",
    takes: "NewMessage",
    gives: "MessageReceipt",
    enveloped: true,
    errors: [400, 404, 409, 413, 415, 502],
    parameters: { "idempotency-key": idempotencyKey }
  },
  "assistant.messages": {
    summary: "Read messages, by page or after one of them",
    description: "With `message_id` the messages after it, oldest first; `limit` and `offset` are then ignored.",
    gives: "AssistantMessages",
    enveloped: true,
    errors: [404],
    parameters: {
      limit: whole(
        { minimum: 1, maximum: 100, default: 20 },
        "What is no whole number from 1 means 20; above 100 means 100."
      ),
      offset: whole({ minimum: 0, default: 0 }, "What is no whole number means 0."),
      message_id: { description: "Only messages after this one.", schema: { type: "string" } }
    }
  },
  "tasks.create": {
    summary: "Create a task",
    description: "The service runs the prompt itself. `link` and `token` may be missing at first: read the task again.",
    takes: "NewTask",
    gives: "Task",
    errors: [400, 409, 413, 415],
    parameters: { "idempotency-key": idempotencyKey },
    headers: ["Location"]
  },
  "tasks.list": {
    summary: "List tasks, newest first",
    gives: "TaskPage",
    errors: [],
    parameters: {
      page: whole({ minimum: 1, default: 1 }, "What is no whole number from 1 means 1."),
      size: whole(
        { minimum: 1, maximum: 100, default: 20 },
        "What is no whole number from 1 means 20; above 100 means 100."
      )
    }
  },
  "tasks.get": {
    summary: "Read a task with its link and token",
    description: "Also the way to renew the token before `expire_at`.",
    gives: "Task",
    errors: [404]
  },
  "redemptions.redeem": {
    summary: "Redeem a code or a voucher",
    description:
      "Exactly once for each `request_id`. `invalid_grant` is final: the code is used, expired or exhausted.",
    takes: "RedemptionRequest",
    gives: "Redemption",
    errors: [400, 404, 409, 413, 415]
  }
}

/** What the groups of operations are about. */
export const groups: Readonly<Record<string, string>> = {
  token: "Authorization: the page in the browser, and tokens for its code.",
  user: "Profile, phone verification and credits.",
  assistant: "The assistant on the user's own computer.",
  tasks: "Cloud tasks, and the way to their ACP channel.",
  redemptions: "Credits for codes and vouchers."
}
