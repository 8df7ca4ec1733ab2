import * as Schema from "effect/Schema"
import { AssistantMessage, AssistantStatus, MessageId, NewMessage } from "../domain/AssistantMessage.ts"
import { CreditQuota } from "../domain/CreditQuota.ts"
import { PhoneNumber, PhoneVerification } from "../domain/PhoneVerification.ts"
import { Profile } from "../domain/Profile.ts"
import { Redemption, RedemptionRequest } from "../domain/Redemption.ts"
import { NewTask, OfferedAgents, Task, TaskId, TaskPage } from "../domain/Task.ts"
import { component } from "../domain/Wire.ts"
import * as Envelope from "./Envelope.ts"
import { IdempotencyKeyHeader } from "./IdempotencyKeyHeader.ts"
import { pageSize, QueryText, wholeNumber } from "./Paging.ts"

// What the endpoints for a user's token take and give. A client needs no more; the contract adds errors, scopes and texts.

/** The path below which all endpoints are. */
export const prefix = "/openapi/v2"

/** One endpoint. */
export interface Endpoint {
  readonly method: "GET" | "POST"
  readonly path: `/${string}`
  readonly params?: Schema.Schema.AnyNoContext
  readonly urlParams?: Schema.Schema.AnyNoContext
  readonly headers?: Schema.Schema.AnyNoContext
  readonly payload?: Schema.Schema.AnyNoContext
  readonly success: Schema.Schema.AnyNoContext
}

/** A task id as a path segment: the client percent-encodes it, the router has already decoded it. */
const TaskIdSegment = Schema.transform(Schema.String, TaskId, {
  strict: true,
  decode: (segment) => segment,
  encode: encodeURIComponent
})

const MessageReceipt = Schema.Struct({
  messageId: Schema.propertySignature(MessageId).pipe(Schema.fromKey("message_id"))
}).annotations(component("MessageReceipt"))

const AssistantMessages = Schema.Struct({ messages: Schema.Array(AssistantMessage) }).annotations(
  component("AssistantMessages")
)

type Group = Readonly<Record<string, Endpoint>>

export const user = {
  profile: { method: "GET", path: "/user/profile", success: Profile },
  verifyPhone: { method: "POST", path: "/user/phoneverification", payload: PhoneNumber, success: PhoneVerification },
  credit: { method: "GET", path: "/credit", success: CreditQuota }
} as const satisfies Group

export const assistant = {
  status: { method: "GET", path: "/localassistant", success: Envelope.of(AssistantStatus) },
  send: {
    method: "POST",
    path: "/localassistant/message",
    payload: NewMessage,
    headers: IdempotencyKeyHeader,
    success: Envelope.of(MessageReceipt)
  },
  messages: {
    method: "GET",
    path: "/localassistant/message",
    urlParams: Schema.Struct({
      limit: pageSize,
      offset: wholeNumber({ minimum: 0, default: 0 }, "A value that is not a whole number means 0."),
      message_id: Schema.optional(QueryText).annotations({ description: "Only messages after this one." })
    }),
    success: Envelope.of(AssistantMessages)
  }
} as const satisfies Group

export const tasks = {
  create: { method: "POST", path: "/tasks", payload: NewTask, headers: IdempotencyKeyHeader, success: Task },
  list: {
    method: "GET",
    path: "/tasks",
    urlParams: Schema.Struct({
      page: wholeNumber({ minimum: 1, default: 1 }, "A value that is not a whole number from 1 means 1."),
      size: pageSize
    }),
    success: TaskPage
  },
  get: { method: "GET", path: "/tasks/:task_id", params: Schema.Struct({ task_id: TaskIdSegment }), success: Task },
  agents: { method: "GET", path: "/agents", success: OfferedAgents }
} as const satisfies Group

export const redemptions = {
  redeem: { method: "POST", path: "/redemptions", payload: RedemptionRequest, success: Redemption }
} as const satisfies Group
