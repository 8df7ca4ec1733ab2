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
import { requestNote } from "./internal/Sentence.ts"
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

const said = {
  status: Schema.Number,
  code: Schema.String,
  description: Schema.String,
  requestId: Schema.optionalWith(Schema.String, { exact: true })
}

/**
 * A message could not be sent, and the service says that the user's PC-side assistant is offline (contract decision
 * 63).
 */
export class AssistantOffline extends Schema.TaggedError<AssistantOffline>()("AssistantOffline", said) {
  override get message(): string {
    return `The local assistant is offline${requestNote(this.requestId)}. The message ${
      this.status === 404 ? "was not delivered" : "may not have been delivered"
    }: start the assistant on the PC, then send it again.`
  }
}

/** This service takes no permission answers from applications; the user answers at the PC (contract decision 60). */
export class PermissionResponseUnsupported extends Schema.TaggedError<PermissionResponseUnsupported>()(
  "PermissionResponseUnsupported",
  said
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

/** How often {@link Assistant} asks for new messages: at first, and at the slowest while none come. */
export interface Poll {
  readonly first?: Duration.DurationInput
  readonly slowest?: Duration.DurationInput
}

/** The user's PC-side local assistant (contract 4.6–4.8), of the user whose access token is in context. */
export class Assistant extends Context.Tag("@heddle/core/Assistant")<
  Assistant,
  {
    /** Whether the assistant is connected; needs `user.localassistant.readable`. */
    readonly status: Effect.Effect<AssistantStatus, OpenApiError>
    /**
     * Sends a message and gives its id; needs `user.localassistant.invokable`. With an idempotency key a lost answer
     * is retried, without one it fails as `OutcomeUnknown`.
     */
    readonly sendText: (
      text: string,
      options?: { readonly idempotencyKey?: string }
    ) => Effect.Effect<MessageId, OpenApiError | AssistantOffline>
    /**
     * Answers a questionnaire or tool approval of the assistant; like {@link sendText}, where the service allows it.
     */
    readonly answerPermission: (
      response: PermissionResponse,
      options?: { readonly idempotencyKey?: string }
    ) => Effect.Effect<MessageId, OpenApiError | AssistantOffline | PermissionResponseUnsupported>
    /**
     * Reads one page of the conversation in the service's order, usually newest first; `limit` 1–100 (20), `offset`
     * from 0.
     */
    readonly history: (options?: {
      readonly limit?: number
      readonly offset?: number
    }) => Effect.Effect<ReadonlyArray<AssistantMessage>, OpenApiError>
    /** The whole conversation, page by page, each message once. */
    readonly all: Stream.Stream<AssistantMessage, OpenApiError>
    /**
     * Every message after `messageId`, each once, oldest first, without end: asks again after 0.5 s, growing to 5 s while
     * none come. Where the service no longer knows the message, it goes on from the history: after the last message
     * that it gave, or with the newest page if it gave none. To resume after a failure, pass the id of the last message.
     */
    readonly since: (
      messageId: MessageId,
      options?: { readonly poll?: Poll }
    ) => Stream.Stream<AssistantMessage, OpenApiError>
  }
>() {}

/** The assistant of a service whose {@link Variant} is known; what `auto` finds out holds as long as the layer. */
export const layerVariant = (variant: Variant): Layer.Layer<Assistant, never, OpenApiClient> =>
  Layer.effect(Assistant, make(variant))

export const layer: Layer.Layer<Assistant, never, OpenApiClient> = Layer.suspend(() => layerVariant("auto"))

const make = Effect.fnUntraced(function* (variant: Variant) {
  const client = yield* OpenApiClient
  const known = yield* Ref.make<"unknown" | "supported" | PermissionResponseUnsupported>(
    variant === "A" ? "supported" : variant === "B" ? configuredOut : "unknown"
  )

  const status = client
    .call(Operation.assistantStatus, (api) => Effect.map(api.assistant.status({}), ({ data }) => data))
    .pipe(Effect.withSpan("Assistant.status"))

  const send = (message: NewMessage, options: { readonly idempotencyKey?: string } | undefined) =>
    client
      .call(
        Operation.sendMessage,
        (api) => Effect.map(api.assistant.send({ payload: message, headers: {} }), ({ data }) => data.messageId),
        options
      )
      .pipe(Effect.catchIf(maybeOffline, (refusal) => asOffline(status, refusal)))

  const sendText = Effect.fn("Assistant.sendText")((text: string, options?: { readonly idempotencyKey?: string }) =>
    send(new NewMessage({ content: text, msgType: "text" }), options)
  )

  const answerPermission = Effect.fn("Assistant.answerPermission")(function* (
    response: PermissionResponse,
    options?: { readonly idempotencyKey?: string }
  ) {
    const before = yield* Ref.get(known)
    if (typeof before !== "string") return yield* before
    const message = new NewMessage({ content: encodeResponse(response), msgType: "permission_response" })
    const id = yield* send(message, options).pipe(
      // A service that has taken an answer before means this one when it refuses.
      Effect.catchIf(
        (error): error is Rejection => before === "unknown" && isRejection(error),
        (refusal) => {
          const error = new PermissionResponseUnsupported(saidBy(refusal))
          return Effect.zipRight(Ref.set(known, error), error)
        }
      )
    )
    yield* Ref.set(known, "supported")
    return id
  })

  const messages = (query: { readonly limit?: string; readonly offset?: string; readonly message_id?: string }) =>
    client.call(Operation.messages, (api) =>
      Effect.map(api.assistant.messages({ urlParams: query }), ({ data }) => data.messages)
    )

  const history = Effect.fn("Assistant.history")(
    (options?: { readonly limit?: number | undefined; readonly offset?: number | undefined }) =>
      messages({
        ...(options?.limit === undefined ? {} : { limit: String(within(options.limit, 1, MessageFeed.maxPageSize)) }),
        ...(options?.offset === undefined ? {} : { offset: String(within(options.offset, 0, Number.MAX_SAFE_INTEGER)) })
      })
  )

  const source = {
    page: history,
    after: Effect.fn("Assistant.after")((messageId: MessageId) => messages({ message_id: messageId }))
  }

  return Assistant.of({
    status,
    sendText,
    answerPermission,
    history,
    all: MessageFeed.whole(source),
    since: (messageId, options) => MessageFeed.since(source, messageId, options?.poll)
  })
})

const configuredOut = new PermissionResponseUnsupported({
  status: 400,
  code: "invalid_request",
  description: "permission_response is configured as not allowed"
})

type MaybeOffline = NotFound | ServiceFailure | OutcomeUnknown

const maybeOffline = (error: OpenApiError): error is MaybeOffline =>
  error._tag === "NotFound" ||
  (error._tag === "ServiceFailure" && error.status === 503) ||
  (error._tag === "OutcomeUnknown" && error.status === 502)

const asOffline = (
  status: Effect.Effect<AssistantStatus, OpenApiError>,
  refusal: MaybeOffline
): Effect.Effect<never, MaybeOffline | AssistantOffline> =>
  Effect.matchEffect(CallOptions.with({ retry: "none" })(status), {
    // The question only explains the refusal: where it fails too, the refusal is what the caller has to know.
    onFailure: () => Effect.fail(refusal),
    onSuccess: ({ online }) =>
      Effect.fail(
        online
          ? refusal
          : new AssistantOffline(refusal._tag === "OutcomeUnknown" ? saidBy(asBadGateway(refusal)) : saidBy(refusal))
      )
  })

const asBadGateway = ({ reason, requestId }: OutcomeUnknown) =>
  new ServiceFailure({
    status: 502,
    code: "server_error",
    description: reason,
    ...(requestId === undefined ? {} : { requestId })
  })

type Rejection = Exclude<Refusal, InsufficientScope>

/**
 * Whether a service of variant B may have meant this by it (contract decision 61); a missing scope has its own remedy.
 */
const isRejection = (error: OpenApiError | AssistantOffline): error is Rejection =>
  isRefusal(error) && error._tag !== "InsufficientScope" && [400, 403, 422].includes(error.status)

const isRefusal = Schema.is(Refusal)

const saidBy = (refusal: Refusal) => ({
  status: refusal.status,
  code: refusal.code,
  description: refusal.description,
  ...(refusal.requestId === undefined ? {} : { requestId: refusal.requestId })
})

const within = (number: number, least: number, most: number): number =>
  Math.min(Math.max(Number.isNaN(number) ? least : Math.trunc(number), least), most)

const encodeResponse = (response: PermissionResponse): string =>
  JSON.stringify(Schema.encodeSync(PermissionResponse)(response))
