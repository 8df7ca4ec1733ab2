import { randomUUID } from "node:crypto"
import { keepNewest } from "../KeepNewest.ts"
import { isoTime } from "../IsoTime.ts"
import type { Readings } from "../Readings.ts"

/** A message of the history (2.6). */
export interface AssistantMessage {
  readonly message_id: string
  readonly role: "user" | "assistant"
  readonly content: ReadonlyArray<unknown>
  readonly msg_type: string
  readonly created_at: string
  readonly attachments: ReadonlyArray<unknown>
  readonly metadata: Readonly<Record<string, unknown>>
}

/** The answer to a question of the assistant (4.7, variant A). */
export interface AssistantAnswer {
  readonly outcome: string
  readonly requestId: string
  readonly answers: Readonly<Record<string, unknown>>
}

/** A message for the history; only the text is required. */
export interface AssistantText {
  readonly text: string
  readonly role?: "user" | "assistant"
  readonly msgType?: string
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly attachments?: ReadonlyArray<unknown>
}

/** The assistant on a person's computer (2.5, 2.6). */
export class LocalAssistant {
  readonly messages: Array<AssistantMessage> = []
  readonly #readings: () => Readings
  readonly #questions = new Map<string, (answer: AssistantAnswer) => void>()
  readonly #answered = new Set<string>()

  constructor(readings: () => Readings) {
    this.#readings = readings
  }

  /** Adds a message, of the assistant when no role is given. */
  say(said: string | AssistantText): AssistantMessage {
    const { text, role = "assistant", msgType = "text", ...more } = typeof said === "string" ? { text: said } : said
    const { messageContent, times } = this.#readings()
    const content = text === "" ? [] : [messageContent === "blocks" ? { type: "text", text } : text]
    const message = {
      message_id: randomUUID(),
      role,
      content,
      msg_type: msgType,
      created_at: isoTime(Date.now(), times),
      attachments: more.attachments ?? [],
      metadata: more.metadata ?? { kind: msgType, source: { channel: role === "user" ? "openapi" : "desktop" } }
    }
    this.messages.push(message)
    keepNewest(this.messages)
    return message
  }

  /** Asks a questionnaire in the history, with `more` in its metadata, and waits for its answer. */
  ask(
    text: string,
    questions: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>,
    more: Readonly<Record<string, unknown>> = {}
  ): { requestId: string; answer: Promise<AssistantAnswer> } {
    const requestId = randomUUID()
    const answer = new Promise<AssistantAnswer>((resolve) => this.#questions.set(requestId, resolve))
    const metadata = { kind: "questionnaire", source: { requestId, questions }, ...more }
    this.say({ text, msgType: "permission_request", metadata })
    return { requestId, answer }
  }

  /** Gives an answer to the question that waits for it. */
  answer(answer: AssistantAnswer): "taken" | "answered" | "unknown" {
    const resolve = this.#questions.get(answer.requestId)
    if (resolve === undefined) return this.#answered.has(answer.requestId) ? "answered" : "unknown"
    this.#questions.delete(answer.requestId)
    this.#answered.add(answer.requestId)
    resolve(answer)
    return "taken"
  }
}
