import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import type { Known as Status } from "@heddle/core/domain/TaskStatus"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Option from "effect/Option"
import { randomUUID } from "node:crypto"
import * as AgentFailure from "../agent/AgentFailure.ts"
import type { AgentHost } from "../agent/AgentHost.ts"
import type { ArtifactFolder } from "../artifacts/ArtifactFolder.ts"
import type { Subscribers, Subscriber } from "./Subscribers.ts"
import { isRecord, stringField } from "../../internal/Json.ts"
import type { UnitOfWork } from "./UnitOfWork.ts"
import type { Metering } from "../../tasks/Metering.ts"
import * as Metrics from "../../observability/Metrics.ts"
import * as PromptBlocks from "./PromptBlocks.ts"
import type { SandboxEvent, Turn, TurnOutcome } from "./SandboxEvent.ts"
import type { Options } from "../../config/SandboxOptions.ts"
import type { SandboxStore } from "./SandboxStore.ts"

/** The rounds of a session: one at a time, in the order of their prompts. */
export interface Turns {
  readonly running: () => boolean
  /** Waits until it is known whether the next turn begins; undefined when none waits for that. */
  readonly undecided: () => Effect.Effect<void> | undefined
  /** Begins a turn, or queues it behind the one that runs; false where too much waits already. */
  readonly prompt: (blocks: PromptBlocks.Blocks, size: number, asker: Turn["asker"]) => boolean
  /** Ends the running turn through the agent and drops what is queued. */
  readonly cancel: () => void
  /** Withdraws one connection's prompt: dropped when it waits, cancelled when it runs. */
  readonly withdraw: (subscriber: Subscriber, id: unknown) => void
  /** The agent did not end a cancelled turn in time: the turn ends without it, and it is stopped. */
  readonly overdue: (turn: Turn) => void
  /** Begins a turn whose user can pay for it, or tells why it does not begin. */
  readonly decided: (turn: Turn, refusal: string | undefined) => void
  readonly ended: (turn: Turn, outcome: TurnOutcome) => void
  /** The agent gave a sign of life. */
  readonly heard: () => void
}

/** What the turns of one sandbox act upon. */
export interface Context {
  readonly taskId: TaskId
  readonly options: Options
  readonly unitOfWork: UnitOfWork
  readonly subscribers: Subscribers
  readonly store: SandboxStore["Type"]
  readonly metering: Metering["Type"]
  readonly host: AgentHost
  readonly folder: ArtifactFolder
  readonly offer: (event: SandboxEvent) => void
  readonly fork: (effect: Effect.Effect<void>) => void
  readonly status: (status: Status) => void
  /** Cancels what is left of the task list. */
  readonly stopTasks: () => void
  /** Ends the tool calls that nobody works on any longer. */
  readonly stopToolCalls: (status: "cancelled" | "failed") => void
  /** Tells everyone something that the service itself has to say. */
  /** Tells everyone something that the service itself has to say; `about` marks it, to be found in the journal. */
  readonly notice: (text: string, about?: string) => void
  readonly waitsForPerson: () => boolean
  /** Whether the agent has ever come up. */
  readonly opened: () => boolean
  /** The agent never comes up: every later prompt is refused with this reason. */
  readonly failed: (reason: string) => void
}

/** Makes the turns of one sandbox. */
export const make = (context: Context): Turns => {
  const { taskId, options, unitOfWork, subscribers, store, metering, host, folder, offer, fork, status, notice } =
    context
  const queue: Array<Turn> = []
  let current: Turn | undefined
  let deciding: Deferred.Deferred<void> | undefined
  let heardAt = 0

  /** Ends in a failure when the agent has given no sign of life for too long. */
  const silence = Effect.gen(function* () {
    const limit = Duration.toMillis(options.turnSilence)
    const left = () => {
      if (context.waitsForPerson()) heardAt = Date.now()
      return heardAt + limit - Date.now()
    }
    for (let wait = left(); wait > 0; wait = left()) yield* Effect.sleep(wait)
    yield* Effect.forkDaemon(host.stop)
    return yield* new AgentFailure.AgentFailure({
      reason: "silent",
      message: `The agent gave no sign of life for ${Math.round(limit / 60_000)} minutes, so the turn was ended. What it had done until then stays; nothing was charged. Send your message again to start the agent anew.`
    })
  })

  const run = (turn: Turn) =>
    host
      .call("session/prompt", { prompt: turn.blocks }, () => {
        turn.sent = true
      })
      .pipe(
        Effect.raceFirst(silence),
        Effect.match({
          onSuccess: (result): TurnOutcome => ({ _tag: "Answered", result: withStopReason(result) }),
          onFailure: (error): TurnOutcome => ({ _tag: "Failed", error })
        }),
        Effect.disconnect,
        Effect.raceFirst(Deferred.await(turn.abandoned)),
        // The files of a turn are told before its end.
        Effect.tap(() => folder.scan),
        Effect.map((outcome) => offer({ _tag: "TurnEnded", turn, outcome }))
      )

  /** Asks whether a turn may begin; until that is known it counts as the running one. */
  const ask = (turn: Turn) => {
    current = turn
    deciding = Deferred.unsafeMake(FiberId.none)
    fork(
      metering.begin({ taskId, turnId: turn.turnId }).pipe(
        Effect.map(Option.getOrUndefined),
        Effect.catchAllCause((cause) =>
          Effect.as(Effect.logError("it could not be found out whether a turn may begin", cause), unknown)
        ),
        Effect.map((refusal) => offer({ _tag: "TurnDecided", turn, refusal }))
      )
    )
  }
  const next = () => {
    const turn = queue.shift()
    if (turn !== undefined) ask(turn)
  }

  const begin = (turn: Turn) => {
    heardAt = Date.now()
    unitOfWork.write(store.beginTurn({ turnId: turn.turnId, taskId, messageId: turn.messageId }))
    status("working")
    for (const content of PromptBlocks.forHistory(turn.blocks)) {
      unitOfWork.tell("session/update", {
        sessionId: taskId,
        update: { sessionUpdate: "user_message_chunk", messageId: turn.messageId, content }
      })
    }
    unitOfWork.afterwards(() => fork(run(turn)))
  }

  const answer = (turn: Turn, message: (id: JsonRpc.Id) => JsonRpc.Message) => {
    const { asker } = turn
    if (asker !== undefined) unitOfWork.afterwards(() => subscribers.send(asker.subscriber, message(asker.id)))
  }
  const answerCancelled = (turn: Turn) => answer(turn, (id) => JsonRpc.success(id, { stopReason: "cancelled" }))

  const abandon = (turn: Turn) => Deferred.unsafeDone(turn.abandoned, Effect.succeed(cancelledOutcome))

  const cancelCurrent = (turn: Turn) => {
    if (turn.cancelled) return
    turn.cancelled = true
    if (!turn.sent) return abandon(turn)
    fork(host.cancel)
    fork(Effect.sleep(options.cancelGrace).pipe(Effect.andThen(() => offer({ _tag: "CancelOverdue", turn }))))
  }

  return {
    running: () => current !== undefined,
    undecided: () => deciding && Deferred.await(deciding),
    heard: () => {
      heardAt = Date.now()
    },

    prompt: (blocks, size, asker) => {
      const waiting = queue.reduce((sum, turn) => sum + turn.size, 0)
      if (current !== undefined && (queue.length >= mostWaiting.count || waiting + size > mostWaiting.bytes))
        return false
      const turn: Turn = {
        turnId: randomUUID(),
        messageId: randomUUID(),
        blocks,
        size,
        asker,
        abandoned: Deferred.unsafeMake(FiberId.none),
        sent: false,
        cancelled: false
      }
      if (current === undefined) ask(turn)
      else queue.push(turn)
      return true
    },

    cancel: () => {
      for (const turn of queue.splice(0)) answerCancelled(turn)
      if (current === undefined) context.stopToolCalls("cancelled")
      else cancelCurrent(current)
    },

    withdraw: (subscriber, id) => {
      const isIt = ({ asker }: Turn) => asker?.subscriber === subscriber && asker.id === id
      const waiting = queue.findIndex(isIt)
      const [dropped] = waiting < 0 ? [] : queue.splice(waiting, 1)
      if (dropped !== undefined) answer(dropped, (id) => JsonRpc.failure(id, JsonRpc.RpcError.cancelled()))
      else if (current !== undefined && isIt(current)) cancelCurrent(current)
    },

    overdue: (turn) => {
      if (turn !== current) return
      abandon(turn)
      fork(host.stop)
    },

    decided: (turn, refusal) => {
      if (deciding !== undefined) Deferred.unsafeDone(deciding, Effect.void)
      deciding = undefined
      if (refusal === undefined && !turn.cancelled) return begin(turn)
      current = undefined
      unitOfWork.write(metering.end({ taskId, turnId: turn.turnId, counts: false }))
      if (refusal === undefined || turn.cancelled) {
        context.stopToolCalls("cancelled")
        answerCancelled(turn)
      } else if (turn.asker !== undefined) answer(turn, (id) => JsonRpc.failure(id, refused(refusal)))
      else {
        // The initial prompt of a task: another one took the last credits since it was created.
        status("working")
        notice(withoutEffect(refusal))
        status("completed")
      }
      next()
    },

    ended: (turn, outcome) => {
      if (turn !== current) return
      current = undefined
      const answered: TurnOutcome = turn.cancelled && outcome._tag === "Failed" ? cancelledOutcome : outcome
      const stopReason = stopReasonOf(answered)
      unitOfWork.write(store.endTurn(turn.turnId, stopReason))
      Metrics.turnEnded(stopReason)
      // What failed or never reached the agent costs nothing, as the words that people are told say.
      const counts = turn.sent && answered._tag === "Answered"
      unitOfWork.write(metering.end({ taskId, turnId: turn.turnId, counts }))
      if (stopReason !== "end_turn") context.stopTasks()
      // Whoever cancelled sees them so already, also where the agent calls it the plain end.
      if (turn.cancelled || stopReason === "cancelled") context.stopToolCalls("cancelled")
      else if (answered._tag === "Failed") context.stopToolCalls("failed")
      const heard = turn.asker !== undefined && subscribers.all.has(turn.asker.subscriber)
      if (answered._tag === "Failed") {
        const never = answered.error._tag === "AgentFailure" && !context.opened()
        const error =
          answered.error._tag === "AgentFailure" && !turn.sent
            ? AgentFailure.withNextStep(answered.error, never)
            : answered.error
        // Who asked is told by the answer; otherwise the thread's history is the only place.
        if (!heard) notice(error.message)
        if (never) context.failed(error.message)
        status(never ? "failed" : "completed")
        const refusal = error._tag === "AgentFailure" ? AgentFailure.toRpcError(error) : error
        answer(turn, (id) => JsonRpc.failure(id, refusal))
      } else {
        status("completed")
        answer(turn, (id) => JsonRpc.success(id, answered.result))
      }
      next()
    }
  }
}

/** How much one session may have waiting for its agent; of prompts, and again of other requests. */
export const mostWaiting = { count: 100, bytes: 32 * 1024 * 1024 }

const cancelledOutcome: TurnOutcome = { _tag: "Answered", result: { stopReason: "cancelled" } }

/** The answer to a prompt that may not begin; of the codes that JSON-RPC leaves to servers. */
const refused = (reason: string): JsonRpc.RpcError =>
  new JsonRpc.RpcError({ code: -32003, message: withoutEffect(reason), data: { reason: "no_credits" } })

const unknown = "The service could not find out whether the account has credits left. Send your message again."

const withoutEffect = (reason: string): string => `${reason} Nothing was done and nothing was charged.`

/** An answer that names no reason is the plain end of a turn. */
const withStopReason = (result: unknown): unknown =>
  stringField(result, "stopReason") === undefined
    ? { ...(isRecord(result) ? result : {}), stopReason: "end_turn" }
    : result

const stopReasonOf = (outcome: TurnOutcome): string =>
  outcome._tag === "Failed" ? "error" : (stringField(outcome.result, "stopReason") ?? "end_turn")
