import type * as JsonRpc from "@heddle/acp/JsonRpc"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { field } from "../../internal/Json.ts"
import type * as AgentFailure from "../agent/AgentFailure.ts"
import type { SandboxRow } from "../journal/SandboxStore.ts"
import type { Choice } from "./Controls.ts"
import * as Controls from "./Controls.ts"
import type { SessionContext } from "./SessionContext.ts"
import * as SessionInfo from "./SessionInfo.ts"

/** Modes, models and options of a session: what the agent has, and what was chosen and is kept. */
export interface Choices {
  /** The agent's answer to opening its session, with the choices in it. */
  readonly sessionInfo: () => object
  /** Whether the session has a change that its clients do not know of yet. */
  readonly isUntold: () => boolean
  /** What a client's request chooses; undefined when it chooses nothing. */
  readonly choiceOf: (request: JsonRpc.Request) => Choice | undefined
  /** The agent was started; it has not the choices yet. */
  readonly handleOpened: (sessionInfo: unknown) => void
  /** Takes an update of the agent about its mode or its options. */
  readonly handleUpdate: (kind: string, update: unknown) => void
  /** The agent has taken a choice. */
  readonly handleChosen: (choice: Choice, result: unknown) => void
  /** A started agent has taken a kept choice, or says why not: then the choice is dropped. */
  readonly handleRestored: (choice: Choice, result: Either.Either<unknown, string>) => void
  /**
   * Returns the next choice that the agent offers and does not have. When it has them all, drops those that it no longer
   * offers: what it offers may depend on the others.
   */
  readonly nextDifference: () => Choice | undefined
}

/** Makes the choices of a stored session. */
export const make = (
  row: Pick<SandboxRow, "choices" | "sessionInfo">,
  { notice, store, taskId, unitOfWork }: Pick<SessionContext, "notice" | "store" | "taskId" | "unitOfWork">
): Choices => {
  let { choices, sessionInfo } = row
  /** The agent has the choices: from now on they follow it. */
  let isRestored = false
  /** Choices about which the started agent said nothing. */
  let unconfirmed: ReadonlyArray<Choice> = []
  let published = SessionInfo.present(sessionInfo, choices)
  let isUntold = false

  /** Stores a change and sends what clients do not know of it yet. */
  const change = (nextInfo: unknown, nextChoices: ReadonlyArray<Choice>) => {
    sessionInfo = nextInfo
    choices = nextChoices
    unitOfWork.write(store.saveChoices(taskId, { sessionInfo, choices }))
    // The agent may offer them again with the model that it gets back, so clients hear of no change yet.
    isUntold = !isRestored && Controls.notOffered(sessionInfo, choices).length > 0
    if (isUntold) return
    const before = published
    published = SessionInfo.present(sessionInfo, choices)
    for (const update of SessionInfo.updatesBetween(before, published)) {
      unitOfWork.publish("session/update", { sessionId: taskId, update })
    }
  }

  const drop = (choice: Choice, reason: string) => {
    if (!choices.includes(choice)) return
    change(
      sessionInfo,
      choices.filter((other) => other !== choice)
    )
    const now = Controls.choiceOf(sessionInfo, choice, Controls.find(sessionInfo, choice)?.current)
    notice(`${reason} ${now === undefined ? "It goes on without." : `It goes on with ${now.label}.`}`)
  }

  return {
    sessionInfo: () => published,
    isUntold: () => isUntold,
    choiceOf: ({ method, params }) => Controls.fromRequest(sessionInfo, method, params),
    handleOpened: (opened) => {
      isRestored = false
      unconfirmed = choices.filter((choice) => Controls.find(opened, choice) === undefined)
      change(SessionInfo.merged(sessionInfo, opened), choices)
    },
    handleUpdate: (kind, update) => {
      const nextInfo = SessionInfo.withUpdate(sessionInfo, kind, update)
      if (!isRestored) return change(nextInfo, choices)
      const mode = Controls.choiceOf(nextInfo, { of: "mode", id: "" }, field(update, "currentModeId"))
      const nextChoices = mode === undefined ? choices : Controls.choose(nextInfo, choices, mode)
      change(nextInfo, Controls.followed(nextInfo, nextChoices))
    },
    handleChosen: (choice, result) => {
      const nextInfo = SessionInfo.withResult(sessionInfo, choice, result)
      const taken = Controls.choiceOf(nextInfo, choice, Controls.find(nextInfo, choice)?.current) ?? choice
      const nextChoices = Controls.choose(nextInfo, choices, taken)
      change(nextInfo, isRestored ? Controls.followed(nextInfo, nextChoices) : nextChoices)
    },
    handleRestored: (choice, result) => {
      unconfirmed = unconfirmed.filter((other) => other !== choice)
      Either.match(result, {
        // A client may have chosen another value meanwhile, which is kept.
        onRight: (value) => change(SessionInfo.withResult(sessionInfo, choice, value), choices),
        onLeft: (reason) =>
          drop(choice, `The agent did not take the ${choice.label}, which was chosen for this task: ${reason}`)
      })
    },
    nextDifference: () => {
      if (isRestored) return undefined
      const next = Controls.firstDifference(sessionInfo, choices, unconfirmed)
      if (next !== undefined) return next
      for (const choice of Controls.notOffered(sessionInfo, choices)) {
        drop(choice, `The agent no longer offers the ${choice.label}, which was chosen for this task.`)
      }
      isRestored = true
      return undefined
    }
  }
}

/** Gives a started agent the choices that it does not have; runs before each prompt and choice. */
export const restore = ({
  host,
  offer
}: Pick<SessionContext, "host" | "offer">): Effect.Effect<void, AgentFailure.AgentFailure> =>
  Effect.gen(function* () {
    const attempts = new Map<string, number>()
    for (;;) {
      yield* host.ready
      const found = yield* Deferred.make<Choice | undefined>()
      offer({ _tag: "ChoiceWanted", found })
      const choice = yield* Deferred.await(found)
      if (choice === undefined) return
      const key = `${choice.of}:${choice.id}`
      const count = (attempts.get(key) ?? 0) + 1
      attempts.set(key, count)
      const result: Either.Either<unknown, string> =
        count > maxAttempts ? Either.left("It does not keep it.") : yield* call(host, choice)
      offer({ _tag: "ChoiceRestored", choice, result })
    }
  })

const call = (host: SessionContext["host"], choice: Choice) => {
  const { method, params } = Controls.toRequest(choice)
  return host.call(method, params).pipe(
    Effect.map((result): Either.Either<unknown, string> => Either.right(result)),
    Effect.catchTag("RpcError", ({ reason }) =>
      Effect.succeed(Either.left(reason === undefined ? "It gave no reason." : `${reason}.`))
    ),
    Effect.timeoutTo({
      duration: "30 seconds",
      onSuccess: (result) => result,
      onTimeout: () => Either.left("It did not answer.")
    })
  )
}

const maxAttempts = 2
