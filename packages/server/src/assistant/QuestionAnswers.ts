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

/** Checks the answers: one for each question, no others, and only offered options. */
export const check = (
  { answers, outcome, requestId }: PermissionResponse,
  questions: ReadonlyArray<Question>
): Effect.Effect<QuestionResponse, InvalidRequest> => {
  if (outcome === "cancelled") return Effect.succeed({ requestId, outcome: "cancelled", answers: {} })
  if (outcome !== "selected") return failInvalid(`The outcome must be "selected" or "cancelled".`)
  const unknown = Object.keys(answers).find((key) => !questions.some(({ id }) => id === key))
  if (unknown !== undefined) return failInvalid(`The answers have a key that no question has: ${unknown.slice(0, 50)}.`)
  const checkedAnswers: Record<string, Answers[string]> = {}
  for (const question of questions) {
    const answer = answers[question.id]
    if (answer === undefined) return failInvalid(`The answer ${question.id} is missing.`)
    if (typeof answer === "string" ? question.multiSelect : !question.multiSelect) {
      return failInvalid(
        `The answer ${question.id} must be ${question.multiSelect ? "an array of strings" : "one string"}.`
      )
    }
    const values = typeof answer === "string" ? [answer] : answer
    if (values.length === 0 || values.some((value) => value === ""))
      return failInvalid(`The answer ${question.id} is empty.`)
    if (new Set(values).size !== values.length) return failInvalid(`The answer ${question.id} names an option twice.`)
    const offered = question.options.map(({ value }) => value)
    if (offered.length > 0 && !values.every((value) => offered.includes(value))) {
      return failInvalid(`The answer ${question.id} is none of its options.`)
    }
    checkedAnswers[question.id] = answer
  }
  return Effect.succeed({ requestId, outcome: "selected", answers: checkedAnswers })
}

const decode = Schema.decode(Schema.parseJson(PermissionResponse))

const failInvalid = (description: string) => Effect.fail(ApiError.invalidRequest(description))
