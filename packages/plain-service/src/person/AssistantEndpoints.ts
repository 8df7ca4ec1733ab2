import { randomUUID } from "node:crypto"
import { Refusal } from "../http/Refusal.ts"
import { Reply } from "../http/Reply.ts"
import type { Route } from "../http/Routes.ts"
import { isRecord } from "../IsRecord.ts"
import type { BearerGuard } from "../oauth/BearerGuard.ts"
import type { Readings } from "../Readings.ts"
import type { AssistantAnswer, AssistantMessage, LocalAssistant } from "./LocalAssistant.ts"

const message = /^\/openapi\/v2\/localassistant\/message$/

/** Status, sending and history of the local assistant (4.6 to 4.8). */
export const assistantEndpoints = (guard: BearerGuard, readings: () => Readings): ReadonlyArray<Route> => [
  {
    method: "GET",
    path: /^\/openapi\/v2\/localassistant$/,
    handle: (request) => {
      guard(request, "user.localassistant.readable")
      return envelope({ online: readings().assistantOnline })
    }
  },
  {
    method: "POST",
    path: message,
    handle: (request) => {
      const { assistant } = guard(request, "user.localassistant.invokable")
      const { content, msg_type: msgType } = request.fields
      if (typeof content !== "string" || content === "") throw Refusal.invalid("content is required")
      if (msgType !== "text" && (msgType !== "permission_response" || readings().assistant === "B"))
        throw Refusal.invalid("msg_type is not allowed")
      if (!readings().assistantOnline) throw Refusal.api(502, "server error", "the local assistant is offline")
      if (msgType === "permission_response") takeAnswer(assistant, content)
      const { message_id } = assistant.say({ text: content, role: "user", msgType })
      return envelope({ message_id })
    }
  },
  {
    method: "GET",
    path: message,
    handle: (request) => {
      const { assistant } = guard(request, "user.localassistant.readable")
      const after = request.query.get("message_id")
      const messages =
        after === null ? page(assistant.messages, request.query, readings()) : since(assistant.messages, after)
      return envelope({ messages })
    }
  }
]

const envelope = (data: unknown): Reply => Reply.json(200, { code: 0, msg: "success", request_id: randomUUID(), data })

const takeAnswer = (assistant: LocalAssistant, content: string): void => {
  switch (assistant.answer(answerOf(content))) {
    case "taken":
      return
    case "answered":
      throw Refusal.api(409, "invalid_request", "the request was already answered")
    case "unknown":
      throw Refusal.api(404, "not_found", "no request with this requestId waits")
  }
}

const answerOf = (content: string): AssistantAnswer => {
  const { answers, outcome, requestId } = objectOf(content)
  if (typeof outcome !== "string" || typeof requestId !== "string" || !isRecord(answers))
    throw Refusal.invalid("outcome, requestId and answers are required")
  for (const [key, value] of Object.entries(answers)) {
    const choices = Array.isArray(value) ? value : [value]
    if (!/^q_\d+$/.test(key) || !choices.every((choice) => typeof choice === "string"))
      throw Refusal.invalid("answers has keys q_0, q_1 and so on, with strings or arrays of strings")
  }
  return { outcome, requestId, answers }
}

const objectOf = (content: string): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(content)
    if (isRecord(value)) return value
  } catch {
    // Refused below.
  }
  throw Refusal.invalid("content must be a JSON object")
}

const since = (messages: ReadonlyArray<AssistantMessage>, id: string): ReadonlyArray<AssistantMessage> => {
  const index = messages.findIndex((message) => message.message_id === id)
  if (index < 0) throw Refusal.api(404, "not found", "no message with this message_id")
  return messages.slice(index + 1)
}

const page = (
  messages: ReadonlyArray<AssistantMessage>,
  query: URLSearchParams,
  { messagePages }: Readings
): ReadonlyArray<AssistantMessage> => {
  const limit = integer(query, "limit", 20)
  const offset = integer(query, "offset", 0)
  if (limit < 1 || limit > 100) throw Refusal.invalid("limit must be 1 to 100")
  if (messagePages === "oldestFirst") return messages.slice(offset, offset + limit)
  const newest = messages.toReversed().slice(offset, offset + limit)
  return messagePages === "newestFirst" ? newest : newest.toReversed()
}

const integer = (query: URLSearchParams, name: string, absent: number): number => {
  const written = query.get(name)
  if (written === null) return absent
  if (!/^\d{1,9}$/.test(written)) throw Refusal.invalid(`${name} must be an integer of 0 or more`)
  return Number(written)
}
