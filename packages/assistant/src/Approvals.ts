import type * as Permission from "@heddle/acp/Permission"
import * as Deferred from "effect/Deferred"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import type { AssistantError } from "./AssistantError.ts"
import * as PermissionForm from "./PermissionForm.ts"
import type { Terminal } from "./Terminal.ts"
import type { QuestionResponse, Answers, QuestionRequest, Message } from "@heddle/core/api/AssistantProtocol"

/** What is done when the agent asks for permission: ask a person, or answer for them. */
export type Approve = "ask" | "deny" | "allow"

/** Decides on the agent's permission requests. */
export interface Approvals {
  /** Decides on a permission request that came up while a message is answered. */
  readonly decide: (message: Message, permission: Permission.PermissionRequest) => Effect.Effect<Permission.Answer>
  /** Takes the answer of an application; one to a question that is not open is dropped. */
  readonly answered: (answer: QuestionResponse) => void
}

export interface Options {
  readonly approve: Approve
  readonly terminal: Terminal | undefined
  /** How long a person may take. */
  readonly patience: Duration.DurationInput
  /** Whether applications may answer, as the service said last. */
  readonly applicationsAnswer: () => boolean
  /** Sends a request to the service; false when the service refuses it. */
  readonly send: (path: string, body: unknown) => Effect.Effect<boolean, AssistantError>
}

/**
 * Permission to use a tool is decided by `approve`; a questionnaire cannot be, so a person is always asked.
 * The first answer counts: from the terminal or, where the service allows it, from the application.
 */
export const make = Effect.fn("Approvals.make")(function* (
  options: Options
): Effect.fn.Return<Approvals, never, Scope.Scope> {
  const { applicationsAnswer, approve, patience, send, terminal } = options
  const scope = yield* Effect.scope
  const open = new Map<string, OpenQuestion>()

  const ask = Effect.fn("Approvals.ask")(function* (message: Message, permission: Permission.PermissionRequest) {
    const requestId = randomUUID()
    const answerable = applicationsAnswer()
    const question = PermissionForm.questionsOf(permission)
    const given = yield* Deferred.make<Option.Option<Answers>>()
    open.set(requestId, { permission, given })
    const text = `${question.text}\n${whoAnswers(answerable, terminal !== undefined)}`
    const sent = yield* send(`/messages/${message.messageId}/questions`, {
      ...question,
      requestId,
      answerable,
      text
    } satisfies QuestionRequest).pipe(Effect.forkIn(scope))

    const atTerminal = terminal?.ask(`The agent asks, on behalf of ${message.application}:`, question.questions)
    // An application can answer only what the service has taken.
    const asked = Effect.map(Fiber.await(sent), (exit) => answerable && Exit.isSuccess(exit) && exit.value)
    const local =
      atTerminal ?? Effect.flatMap(asked, (isOpen) => (isOpen ? Effect.never : Effect.succeed(Option.none())))
    const answers = yield* Effect.raceFirst(local, Deferred.await(given)).pipe(
      Effect.timeoutTo({ duration: patience, onSuccess: (answers) => answers, onTimeout: () => Option.none() }),
      Effect.ensuring(
        Effect.suspend(() => {
          open.delete(requestId)
          return Fiber.await(sent).pipe(
            Effect.andThen(send(`/questions/${requestId}/withdrawal`, {})),
            // A revoked credential ends the program, so the question needs no withdrawal.
            Effect.catchAll((error) => Effect.logDebug("a question could not be withdrawn", error.message)),
            Effect.forkIn(scope)
          )
        })
      )
    )
    return Option.match(answers, {
      onNone: () => PermissionForm.refused(permission),
      onSome: (answers) => PermissionForm.toAnswer(permission, answers)
    })
  })

  return {
    decide: (message, permission) => {
      if (permission.questions.length > 0 || approve === "ask") return ask(message, permission)
      return Effect.succeed(
        approve === "allow" ? PermissionForm.allowed(permission) : PermissionForm.refused(permission)
      )
    },
    answered: ({ answers, outcome, requestId }) => {
      const asked = open.get(requestId)
      if (asked === undefined) return
      Deferred.unsafeDone(asked.given, Effect.succeed(outcome === "selected" ? Option.some(answers) : Option.none()))
    }
  }
})

/** A question without an answer yet. */
interface OpenQuestion {
  readonly permission: Permission.PermissionRequest
  readonly given: Deferred.Deferred<Option.Option<Answers>>
}

const whoAnswers = (application: boolean, terminal: boolean): string => {
  if (application) return "Please answer."
  return terminal
    ? "This waits for the user at the computer."
    : "Nobody can be asked at the computer, so this is declined."
}
