import { PermissionResponse } from "@heddle/core/domain/AssistantMessage"
import type { InvalidRequest } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as ApiError from "../internal/ApiError.ts"
import type { QuestionResponse, Answers, Question } from "@heddle/core/api/AssistantProtocol"

/** Reads the content of a `permission_response` (contract 4.7, variant A). */
export const read = (content: string): Effect.Effect<PermissionResponse, InvalidRequest> =>
  Effect.mapError(decode(content), () =>
    ApiError.invalidRequest("The content must be JSON with outcome (string), requestId (string) and answers (object).")
  )

/** Holds the answers against what was asked: every question once, nothing else, only what is offered. */
export const check = (
  { answers, outcome, requestId }: PermissionResponse,
  questions: ReadonlyArray<Question>
): Effect.Effect<QuestionResponse, InvalidRequest> => {
  if (outcome === "cancelled") return Effect.succeed({ requestId, outcome: "cancelled", answers: {} })
  if (outcome !== "selected") return wrong(`The outcome must be "selected" or "cancelled".`)
  const unknown = Object.keys(answers).find((key) => !questions.some(({ id }) => id === key))
  if (unknown !== undefined) return wrong(`The answers have a key that no question has: ${unknown.slice(0, 50)}.`)
  const found: Record<string, Answers[string]> = {}
  for (const question of questions) {
    const given = answers[question.id]
    if (given === undefined) return wrong(`The answer ${question.id} is missing.`)
    if (typeof given === "string" ? question.multiSelect : !question.multiSelect) {
      return wrong(`The answer ${question.id} must be ${question.multiSelect ? "an array of strings" : "one string"}.`)
    }
    const values = typeof given === "string" ? [given] : given
    if (values.length === 0 || values.some((value) => value === "")) return wrong(`The answer ${question.id} is empty.`)
    if (new Set(values).size !== values.length) return wrong(`The answer ${question.id} names an option twice.`)
    const offered = question.options.map(({ value }) => value)
    if (offered.length > 0 && !values.every((value) => offered.includes(value))) {
      return wrong(`The answer ${question.id} is none of its options.`)
    }
    found[question.id] = given
  }
  return Effect.succeed({ requestId, outcome: "selected", answers: found })
}

const decode = Schema.decode(Schema.parseJson(PermissionResponse))

const wrong = (description: string) => Effect.fail(ApiError.invalidRequest(description))
