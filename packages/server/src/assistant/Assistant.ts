import * as SqlClient from "@effect/sql/SqlClient"
import type { QueryText } from "@heddle/core/api/Paging"
import { AssistantMessage, MessageId, type NewMessage } from "@heddle/core/domain/AssistantMessage"
import type {
  Conflict,
  Forbidden,
  InvalidRequest,
  NotFound,
  RateLimited,
  ServiceFailure
} from "@heddle/core/OpenApiError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AssistantCredentials } from "./AssistantCredentials.ts"
import { AssistantDelivery } from "./AssistantDelivery.ts"
import { AssistantOptions } from "./AssistantOptions.ts"
import { AssistantMessages, type MessageRow } from "./AssistantMessages.ts"
import { AssistantQuestions } from "./AssistantQuestions.ts"
import { maxMessageBytes } from "@heddle/core/api/AssistantProtocol"
import * as QuestionAnswers from "./QuestionAnswers.ts"
import * as JsonSize from "../internal/JsonSize.ts"
import * as ApiError from "../internal/ApiError.ts"
import * as IdempotencyKey from "../internal/IdempotencyHeader.ts"
import * as WholeNumber from "../internal/WholeNumber.ts"
import * as MessageIdempotencyKeys from "./MessageIdempotencyKeys.ts"
import { ServerConfig } from "../config/ServerConfig.ts"
import type { Owner } from "../tasks/TaskStore.ts"

/** Why a message was not accepted. */
export type SendError = InvalidRequest | NotFound | Forbidden | Conflict | RateLimited | ServiceFailure

/**
 * The local assistant as applications use it (contract 4.6–4.8). A conversation belongs to an application and a user.
 */
export class Assistant extends Context.Tag("@heddle/server/assistant/Assistant")<
  Assistant,
  {
    /** Whether any computer of the user is connected (contract decision 71). */
    readonly online: (userId: string) => Effect.Effect<boolean>
    /**
     * Accepts a message, or an answer to a question (contract decision 60), stores it and returns its id.
     * An idempotency key is valid for 24 hours: with the same body it returns the same message, with another body
     * `Conflict`.
     */
    readonly send: (owner: Owner, message: NewMessage, idempotencyKey?: string) => Effect.Effect<MessageId, SendError>
    /** A page of the conversation, or with `message_id` the messages after it; numbers as unparsed text. */
    readonly messages: (owner: Owner, query: Query) => Effect.Effect<ReadonlyArray<AssistantMessage>, NotFound>
  }
>() {}

/** The unparsed query of the history. */
export interface Query {
  readonly limit?: QueryText | undefined
  readonly offset?: QueryText | undefined
  readonly message_id?: QueryText | undefined
}

/** Maximum size of a message (contract decision 26). */
const maxContentBytes = 32 * 1024

export const layer: Layer.Layer<
  Assistant,
  never,
  SqlClient.SqlClient | AssistantCredentials | AssistantDelivery | AssistantMessages | AssistantQuestions | ServerConfig
> = Layer.effect(
  Assistant,
  Effect.gen(function* () {
    const delivery = yield* AssistantDelivery
    const requireOnline = yield* makeRequireOnline
    return {
      online: Effect.fn("Assistant.online")((userId) =>
        Effect.map(delivery.status(userId), ({ _tag }) => _tag !== "Offline")
      ),
      send: yield* makeSend(yield* makeAcceptText(requireOnline), yield* makeAcceptAnswer(requireOnline)),
      messages: yield* makeMessages
    }
  })
)

/** Refuses a message while no computer can receive it (contract decision 63, 7.1). */
const makeRequireOnline = Effect.gen(function* () {
  const credentials = yield* AssistantCredentials
  const delivery = yield* AssistantDelivery
  const { contract } = yield* ServerConfig
  return Effect.fnUntraced(function* (owner: Owner) {
    const status = yield* delivery.status(owner.userId)
    if (status._tag === "Broken") return yield* ApiError.badGateway(`${status.problem} Nothing was sent.`)
    if (status._tag === "Online") return
    const stored = yield* credentials.list(owner.userId)
    if (stored.length > 0 && stored.every(({ revokedAt }) => revokedAt !== null)) {
      return yield* ApiError.forbidden(
        "The user has taken the local assistant's credential back, so there is none to send to."
      )
    }
    if (contract.offline === "reject") {
      return yield* ApiError.notFound(
        "assistant offline: no computer of the user is connected. Nothing was sent; try again when it is online."
      )
    }
  })
})

type RequireOnline = Effect.Effect.Success<typeof makeRequireOnline>

/** A stored message; `afterCommit` sends an answer to the program, after the transaction. */
interface Accepted {
  readonly messageId: string
  readonly afterCommit: Effect.Effect<void>
}

/** Accepts a message to the agent. */
const makeAcceptText = Effect.fnUntraced(function* (requireOnline: RequireOnline) {
  const messages = yield* AssistantMessages
  const { backlog } = yield* AssistantOptions
  return Effect.fnUntraced(function* (owner: Owner, content: string) {
    yield* requireOnline(owner)
    if ((yield* messages.backlog(owner)) >= backlog) {
      return yield* ApiError.rateLimited(`${backlog} messages wait for their answers already. Nothing was sent.`, 60)
    }
    return { messageId: yield* messages.send(owner, content), afterCommit: Effect.void } satisfies Accepted
  })
})

/** Accepts an answer to a question of the agent (contract decision 60). */
const makeAcceptAnswer = Effect.fnUntraced(function* (requireOnline: RequireOnline) {
  const questions = yield* AssistantQuestions
  const delivery = yield* AssistantDelivery
  return Effect.fnUntraced(function* (owner: Owner, content: string) {
    const response = yield* QuestionAnswers.read(content)
    const question = Option.getOrUndefined(yield* questions.question(owner, response.requestId))
    if (question === undefined) return yield* ApiError.notFound("No question has this requestId.")
    if (!question.answerable) return yield* ApiError.invalidRequest(`msg_type not allowed: ${localOnlyMessage}`)
    if (question.state !== "open") return yield* ApiError.conflict(questionClosedMessage)
    const answer = yield* QuestionAnswers.check(response, question.questions)
    yield* requireOnline(owner)
    const messageId = Option.getOrUndefined(yield* questions.answer(owner, question, answer, content))
    if (messageId === undefined) return yield* ApiError.conflict(questionClosedMessage)
    const { assistantId, instance } = question
    const afterCommit = delivery.passAnswer({ assistantId, instance, userId: owner.userId }, answer)
    return { messageId, afterCommit } satisfies Accepted
  })
})

const makeSend = Effect.fnUntraced(function* (
  acceptText: Effect.Effect.Success<ReturnType<typeof makeAcceptText>>,
  acceptAnswer: Effect.Effect.Success<ReturnType<typeof makeAcceptAnswer>>
) {
  const sql = yield* SqlClient.SqlClient
  const delivery = yield* AssistantDelivery
  const requests = yield* MessageIdempotencyKeys.make
  const { contract } = yield* ServerConfig

  return Effect.fn("Assistant.send")(function* (owner: Owner, message: NewMessage, idempotencyKey?: string) {
    const { content, msgType } = message
    const isAnswer = msgType === "permission_response" && contract.permissionResponse === "accept"
    if (msgType !== "text" && !isAnswer) {
      return yield* ApiError.invalidRequest(
        msgType === "permission_response" ? `msg_type not allowed: ${localOnlyMessage}` : "msg_type not allowed"
      )
    }
    yield* checkSize(content)
    const key = yield* IdempotencyKey.parse(idempotencyKey, `${msgType} ${content}`)
    const sent = yield* Effect.gen(function* () {
      const earlier = key === undefined ? undefined : yield* requests.find(owner, key)
      if (earlier !== undefined) return { messageId: earlier, afterCommit: Effect.void }
      const accepted = yield* isAnswer ? acceptAnswer(owner, content) : acceptText(owner, content)
      if (key !== undefined) yield* requests.insert(owner, key, accepted.messageId)
      return accepted
    }).pipe(
      sql.withTransaction,
      Effect.catchTag("SqlError", (error) => Effect.die(error))
    )
    yield* sent.afterCommit
    yield* delivery.deliverNext(owner.userId)
    return MessageId.make(sent.messageId)
  })
})

const makeMessages = Effect.gen(function* () {
  const messages = yield* AssistantMessages
  const { contract } = yield* ServerConfig
  return Effect.fn("Assistant.messages")(function* (owner: Owner, query: Query) {
    const messageId = typeof query.message_id === "string" ? query.message_id : query.message_id?.[0]
    if (messageId !== undefined) {
      const later = yield* messages.after(owner, messageId, 100)
      if (Option.isNone(later)) {
        return yield* ApiError.notFound("The conversation has no message of this message_id.")
      }
      return later.value.map(toMessage)
    }
    const requestedLimit = WholeNumber.parse(query.limit) ?? 20
    const rows = yield* messages.page(owner, {
      limit: requestedLimit < 1 ? 20 : Math.min(requestedLimit, 100),
      offset: WholeNumber.parse(query.offset) ?? 0,
      newestFirst: contract.order !== "oldest_first"
    })
    return (contract.order === "newest_page" ? rows.toReversed() : rows).map(toMessage)
  })
})

const checkSize = (content: string): Effect.Effect<void, InvalidRequest> => {
  if (content.trim() === "") return Effect.fail(ApiError.invalidRequest("The content is empty."))
  if (Buffer.byteLength(content) > maxContentBytes) {
    return Effect.fail(ApiError.invalidRequest(`The content is longer than ${maxContentBytes} bytes.`))
  }
  return JsonSize.sizeOf(content) > maxMessageBytes
    ? Effect.fail(ApiError.invalidRequest("The content has too many control characters."))
    : Effect.void
}

const localOnlyMessage = "approval stays with the user at the computer."
const questionClosedMessage = "This question is not open any more: it was answered, or the assistant no longer waits."

const toMessage = (row: MessageRow): AssistantMessage => {
  const metadata = Option.getOrElse(parseMetadata(row.metadata), () => ({}))
  return new AssistantMessage({
    messageId: MessageId.make(row.messageId),
    role: row.role,
    content: [row.content],
    msgType: row.msgType,
    createdAt: new Date(row.createdAt).toISOString(),
    attachments: [],
    metadata: { ...metadata, ...(row.state === null ? {} : { state: row.state }) }
  })
}

const parseMetadata = Schema.decodeOption(
  Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
)
