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

/** How permission requests of the agent are answered: by a person, or always the same. */
export type Approve = "ask" | "deny" | "allow"

/** Decides on the agent's permission requests. */
export interface Approvals {
  /** Decides on a permission request of the turn that answers a message. */
  readonly decide: (message: Message, permission: Permission.PermissionRequest) => Effect.Effect<Permission.Answer>
  /** Handles the answer of an application; drops it when the question is not open. */
  readonly handleAnswer: (answer: QuestionResponse) => void
}

export interface Options {
  readonly approve: Approve
  readonly terminal: Terminal | undefined
  /** How long a person may take. */
  readonly answerTimeout: Duration.DurationInput
  /** Whether applications may answer, by the newest `welcome` of the service. */
  readonly mayApplicationsAnswer: () => boolean
  /** Sends a request to the service; false when the service refuses it. */
  readonly send: (path: string, body: unknown) => Effect.Effect<boolean, AssistantError>
}

/**
 * `approve` decides on permission to use a tool; a person always answers a questionnaire.
 * The first answer counts: from the terminal or, where the service allows it, from the application.
 */
export const make = Effect.fn("Approvals.make")(function* (
  options: Options
): Effect.fn.Return<Approvals, never, Scope.Scope> {
  const { mayApplicationsAnswer, approve, answerTimeout, send, terminal } = options
  const scope = yield* Effect.scope
  const openQuestions = new Map<string, OpenQuestion>()

  const ask = Effect.fn("Approvals.ask")(function* (message: Message, permission: Permission.PermissionRequest) {
    const requestId = randomUUID()
    const answerable = mayApplicationsAnswer()
    const question = PermissionForm.toQuestions(permission)
    const answer = yield* Deferred.make<Option.Option<Answers>>()
    openQuestions.set(requestId, { permission, answer })
    const text = `${question.text}\n${whoAnswers({ application: answerable, terminal: terminal !== undefined })}`
    const sending = yield* send(`/messages/${message.messageId}/questions`, {
      ...question,
      requestId,
      answerable,
      text
    } satisfies QuestionRequest).pipe(Effect.forkIn(scope))

    const atTerminal = terminal?.ask(`The agent asks, on behalf of ${message.application}:`, question.questions)
    // An application can answer only a question that the service has accepted.
    const wasAsked = Effect.map(Fiber.await(sending), (exit) => answerable && Exit.isSuccess(exit) && exit.value)
    const local =
      atTerminal ?? Effect.flatMap(wasAsked, (isOpen) => (isOpen ? Effect.never : Effect.succeed(Option.none())))
    const answers = yield* Effect.raceFirst(local, Deferred.await(answer)).pipe(
      Effect.timeoutTo({ duration: answerTimeout, onSuccess: (answers) => answers, onTimeout: () => Option.none() }),
      Effect.ensuring(
        Effect.suspend(() => {
          openQuestions.delete(requestId)
          return Fiber.await(sending).pipe(
            Effect.andThen(send(`/questions/${requestId}/withdrawal`, {})),
            // A revoked credential ends the program, so the question needs no withdrawal.
            Effect.catchAll((error) => Effect.logDebug("a question could not be withdrawn", error.message)),
            Effect.forkIn(scope)
          )
        })
      )
    )
    return Option.match(answers, {
      onNone: () => PermissionForm.refuse(permission),
      onSome: (answers) => PermissionForm.toAnswer(permission, answers)
    })
  })

  return {
    decide: (message, permission) => {
      if (permission.questions.length > 0 || approve === "ask") return ask(message, permission)
      return Effect.succeed(approve === "allow" ? PermissionForm.allow(permission) : PermissionForm.refuse(permission))
    },
    handleAnswer: ({ answers, outcome, requestId }) => {
      const wasAsked = openQuestions.get(requestId)
      if (wasAsked === undefined) return
      Deferred.unsafeDone(
        wasAsked.answer,
        Effect.succeed(outcome === "selected" ? Option.some(answers) : Option.none())
      )
    }
  }
})

/** A question without an answer yet. */
interface OpenQuestion {
  readonly permission: Permission.PermissionRequest
  readonly answer: Deferred.Deferred<Option.Option<Answers>>
}

const whoAnswers = ({
  application,
  terminal
}: {
  readonly application: boolean
  readonly terminal: boolean
}): string => {
  if (application) return "Please answer."
  return terminal
    ? "This waits for the user at the computer."
    : "There is no one at the computer to ask, so this is declined."
}
