import type * as Duration from "effect/Duration"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import {
  type AssistantMessage,
  type AssistantStatus,
  MessageId,
  NewMessage,
  PermissionResponse
} from "./domain/AssistantMessage.ts"
import * as CallOptions from "./CallOptions.ts"
import * as MessageFeed from "./internal/MessageFeed.ts"
import * as Pages from "./internal/Pages.ts"
import { requestNote } from "./internal/Sentence.ts"
import * as Span from "./internal/Span.ts"
import { OpenApiClient } from "./OpenApiClient.ts"
import {
  type InsufficientScope,
  type NotFound,
  type OpenApiError,
  type OutcomeUnknown,
  Refusal,
  ServiceFailure
} from "./OpenApiError.ts"
import * as Operation from "./Operation.ts"

const refusalFields = {
  status: Schema.Number,
  code: Schema.String,
  description: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * A message could not be sent, and the service says that the user's PC-side assistant is offline (contract decision
 * 63).
 */
export class AssistantOffline extends Schema.TaggedError<AssistantOffline>()("AssistantOffline", refusalFields) {
  override get message(): string {
    return `The local assistant is offline${requestNote(this.requestId)}. The message ${
      this.status === 404 ? "was not delivered" : "may not have been delivered"
    }: start the assistant on the PC, then send it again.`
  }
}

/** This service takes no permission answers from applications; the user answers at the PC (contract decision 60). */
export class PermissionResponseUnsupported extends Schema.TaggedError<PermissionResponseUnsupported>()(
  "PermissionResponseUnsupported",
  refusalFields
) {
  override get message(): string {
    return `This service takes no answers to permission requests from applications${requestNote(this.requestId)}. Answer on the PC itself.`
  }
}

/**
 * How a service treats permission answers (contract 4.7): `A` takes them, `B` does not, `auto` finds out with the
 * first one.
 */
export type Variant = "auto" | "A" | "B"

/** How often {@link Assistant} asks for new messages: first after `initialInterval`, at most after `maxInterval`. */
export interface Poll {
  readonly initialInterval?: Duration.DurationInput
  readonly maxInterval?: Duration.DurationInput
}

/** The user's PC-side local assistant (contract 4.6–4.8), of the user whose access token is in context. */
export class Assistant extends Context.Tag("@heddle/core/Assistant")<
  Assistant,
  {
    /** Whether the assistant is connected; needs `user.localassistant.readable`. */
    readonly status: Effect.Effect<AssistantStatus, OpenApiError>
    /**
     * Sends a message and gives its id; needs `user.localassistant.invokable`. A lost answer fails as `OutcomeUnknown`;
     * with an idempotency key it is first retried, where the service keeps such keys.
     */
    readonly sendText: (
      text: string,
      options?: { readonly idempotencyKey?: string }
    ) => Effect.Effect<MessageId, OpenApiError | AssistantOffline>
    /** Whether a message may be sent again under the same key, see `OpenApiClient.keepsIdempotencyKeys`. */
    readonly keepsIdempotencyKeys: Effect.Effect<boolean>
    /**
     * Answers a questionnaire or tool approval of the assistant; like {@link sendText}, where the service allows it.
     */
    readonly answerPermission: (
      response: PermissionResponse,
      options?: { readonly idempotencyKey?: string }
    ) => Effect.Effect<MessageId, OpenApiError | AssistantOffline | PermissionResponseUnsupported>
    /**
     * Reads one page of the conversation, oldest message first; the first page is usually the newest. `limit` 1–100 (20),
     * `offset` from 0.
     */
    readonly history: (options?: {
      readonly limit?: number
      readonly offset?: number
    }) => Effect.Effect<ReadonlyArray<AssistantMessage>, OpenApiError>
    /** The whole conversation, page by page, newest message first, each once. */
    readonly all: Stream.Stream<AssistantMessage, OpenApiError>
    /**
     * Every message after `messageId`, each once, oldest first, without end: asks again after 0.5 s, growing to 5 s while
     * none come. If the service no longer knows the message, it reads the history: from the last message that it
     * returned, or else the newest page. To resume after a failure, pass the id of the last message.
     */
    readonly since: (
      messageId: MessageId,
      options?: { readonly poll?: Poll }
    ) => Stream.Stream<AssistantMessage, OpenApiError>
  }
>() {}

/** The assistant of a service with this {@link Variant}; the layer remembers what `auto` finds out. */
export const layerVariant = (variant: Variant): Layer.Layer<Assistant, never, OpenApiClient> =>
  Layer.effect(
    Assistant,
    Effect.map(OpenApiClient, (client) => {
      const service = make(client, variant)
      return {
        ...service,
        all: Pages.toStream(service.all),
        since: (...args) => Pages.toStream(service.since(...args))
      }
    })
  )

export const layer: Layer.Layer<Assistant, never, OpenApiClient> = /* @__PURE__ */ Layer.suspend(() =>
  layerVariant("auto")
)

/** The service over a client, with pages instead of streams. */
export const make = (
  client: Context.Tag.Service<OpenApiClient>,
  variant: Variant
): Pages.Paged<Context.Tag.Service<Assistant>> => {
  const support = Ref.unsafeMake<"unknown" | "supported" | PermissionResponseUnsupported>(
    variant === "A" ? "supported" : variant === "B" ? unsupportedByConfiguration() : "unknown"
  )

  const status = Span.within(
    "Assistant.status",
    client.call(Operation.assistantStatus, (api) => Effect.map(api.assistant.status({}), ({ data }) => data))
  )

  const send = (
    operation: Operation.Operation,
    message: NewMessage,
    options: { readonly idempotencyKey?: string } | undefined
  ) =>
    client
      .call(
        operation,
        (api) => Effect.map(api.assistant.send({ payload: message, headers: {} }), ({ data }) => data.messageId),
        options
      )
      .pipe(Effect.catchIf(mayMeanOffline, (refusal) => explainRefusal(status, refusal)))

  const sendText = Span.fn("Assistant.sendText", (text: string, options?: { readonly idempotencyKey?: string }) =>
    send(Operation.sendMessage, new NewMessage({ content: text, msgType: "text" }), options)
  )

  const answerPermission = Span.fn(
    "Assistant.answerPermission",
    Effect.fnUntraced(function* (response: PermissionResponse, options?: { readonly idempotencyKey?: string }) {
      const supportBefore = yield* Ref.get(support)
      if (typeof supportBefore !== "string") return yield* supportBefore
      const message = new NewMessage({ content: encodeResponse(response), msgType: "permission_response" })
      const id = yield* send(sendAnswer, message, options).pipe(
        // A service that accepted an answer before refuses this one answer, not the feature.
        Effect.catchIf(
          (error): error is Rejection => supportBefore === "unknown" && isRejection(error),
          (refusal) => {
            const error = new PermissionResponseUnsupported(refusalFieldsOf(refusal))
            return Effect.zipRight(Ref.set(support, error), error)
          }
        )
      )
      yield* Ref.set(support, "supported")
      return id
    })
  )

  const messages = (query: { readonly limit?: string; readonly offset?: string; readonly message_id?: string }) =>
    client.call(Operation.messages, (api) =>
      Effect.map(api.assistant.messages({ urlParams: query }), ({ data }) => MessageFeed.oldestFirst(data.messages))
    )

  const history = Span.fn(
    "Assistant.history",
    (options?: { readonly limit?: number | undefined; readonly offset?: number | undefined }) =>
      messages({
        ...(options?.limit === undefined ? {} : { limit: String(clamp(options.limit, 1, MessageFeed.maxPageSize)) }),
        ...(options?.offset === undefined ? {} : { offset: String(clamp(options.offset, 0, Number.MAX_SAFE_INTEGER)) })
      })
  )

  const source = {
    page: history,
    after: Span.fn("Assistant.after", (messageId: MessageId) => messages({ message_id: messageId }))
  }

  return {
    status,
    sendText,
    keepsIdempotencyKeys: client.keepsIdempotencyKeys,
    answerPermission,
    history,
    all: MessageFeed.all(source),
    since: (messageId, options) => MessageFeed.since(source, messageId, options?.poll)
  }
}

// 409 says that its request was answered before.
const sendAnswer: Operation.Operation = { ...Operation.sendMessage, creates: false }

const unsupportedByConfiguration = () =>
  new PermissionResponseUnsupported({
    status: 400,
    code: "invalid_request",
    description: "permission_response is configured as not allowed"
  })

type PossiblyOffline = NotFound | OutcomeUnknown

const mayMeanOffline = (error: OpenApiError): error is PossiblyOffline =>
  error._tag === "NotFound" || (error._tag === "OutcomeUnknown" && (error.status === 502 || error.status === 503))

const explainRefusal = (
  status: Effect.Effect<AssistantStatus, OpenApiError>,
  refusal: PossiblyOffline
): Effect.Effect<never, PossiblyOffline | AssistantOffline> =>
  Effect.matchEffect(CallOptions.with({ retry: "none" })(status), {
    // The status request only explains the refusal. If it fails too, the caller gets the refusal.
    onFailure: () => Effect.fail(refusal),
    onSuccess: ({ online }) =>
      Effect.fail(
        online
          ? refusal
          : new AssistantOffline(
              refusalFieldsOf(refusal._tag === "OutcomeUnknown" ? asServiceFailure(refusal) : refusal)
            )
      )
  })

const asServiceFailure = ({ reason, requestId, status = 502 }: OutcomeUnknown) =>
  new ServiceFailure({
    status,
    code: status === 503 ? "temporarily_unavailable" : "server_error",
    description: reason,
    ...(requestId === undefined ? {} : { requestId })
  })

type Rejection = Exclude<Refusal, InsufficientScope>

/**
 * Whether this refusal may mean variant B (contract decision 61); a missing scope has its own remedy.
 */
const isRejection = (error: OpenApiError | AssistantOffline): error is Rejection =>
  isRefusal(error) && error._tag !== "InsufficientScope" && [400, 403, 422].includes(error.status)

const isRefusal = Schema.is(Refusal)

const refusalFieldsOf = (refusal: Refusal) => ({
  status: refusal.status,
  code: refusal.code,
  description: refusal.description,
  ...(refusal.requestId === undefined ? {} : { requestId: refusal.requestId })
})

const clamp = (number: number, min: number, max: number): number =>
  Math.min(Math.max(Number.isNaN(number) ? min : Math.trunc(number), min), max)

const encodeResponse = (response: PermissionResponse): string =>
  JSON.stringify(Schema.encodeSync(PermissionResponse)(response))
