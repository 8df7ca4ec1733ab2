import type * as AcpSession from "@heddle/acp/AcpSession"
import { TaskId } from "@heddle/core/domain/Task"
import { isBusy, isTerminal } from "@heddle/core/domain/TaskStatus"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Service } from "../access/Accounts.ts"
import { isLateOutput } from "./LateOutput.ts"
import type { End } from "../model/Conversation.ts"
import { mayHave, type OpenTurn } from "./OpenTurn.ts"
import * as Projection from "./Projection.ts"
import * as Prompt from "./Prompt.ts"
import { isOpened } from "../store/Requests.ts"
import * as TurnEnd from "./TurnEnd.ts"
import type { Baseline, TurnRow } from "../store/Turns.ts"

/** What prompting needs of the attempt. */
export interface Hands {
  /** Told what the turn says in words: from then on it may be in the session. */
  readonly begin: (words: string) => Effect.Effect<void>
  /** Waits until the person stops the turn. */
  readonly stop: Effect.Effect<void>
}

/**
 * Prompts if the prompt is not in the session, otherwise waits for the end of what runs. Undefined when what ran was
 * somebody else's, so that the session is to be looked at again.
 */
export const converse = Effect.fnUntraced(function* (
  self: OpenTurn,
  session: AcpSession.AcpSession,
  tasks: Service["tasks"],
  row: TurnRow,
  baseline: Baseline,
  hands: Hands
) {
  const { entry, messages, thread } = self
  if (row.end !== undefined) return row.end
  if (isLateOutput(entry)) return yield* Effect.as(untilSilent(self, session), TurnEnd.quiet)
  const mayBeThere = mayHave(entry, row)
  const task = yield* Effect.raceFirst(
    tasks.get(TaskId.make(thread.taskId)),
    mayBeThere ? Effect.never : Effect.as(hands.stop, undefined)
  )
  if (task === undefined) return yield* TurnEnd.unreached(self)
  const { status } = task
  if (isTerminal(status)) return TurnEnd.failed(messages)
  const arrived = mayBeThere && Projection.arrived(yield* session.state, baseline)
  // A service that does not hold the initial prompt is at work on it already.
  const running = arrived || (isBusy(status) && mayBeThere)
  // An opened task that nothing was ever said to.
  if (!running && isOpened({ ...entry, prompt: entry.content })) return TurnEnd.quiet
  if (!running) return yield* prompt(self, session, tasks, entry.content, hands)
  const end = yield* awaitEnd(self, session, tasks)
  const others = Projection.skipped(yield* session.state, baseline) === Infinity
  if (others && end._tag === "Done" && !self.state.get().stopAsked) return undefined
  if (entry.first && !row.prompted && entry.attachments.length > 0 && end._tag === "Done") {
    return yield* prompt(self, session, tasks, "", hands)
  }
  return end
})

/**
 * Waits until the agent says nothing more for two seconds, or somebody wants to say something or stops it; at most for a
 * minute, besides the time in which it waits for an answer, which what people say waits for, too.
 */
const untilSilent = Effect.fnUntraced(function* ({ state }: OpenTurn, session: AcpSession.AcpSession) {
  let before = yield* session.state
  for (let silent = 0, more = 240; silent < 8 && more > 0; more--) {
    yield* Effect.sleep("250 millis")
    const { permissions, stopAsked, waiting } = state.get()
    const isAsking = permissions.some(({ state }) => state === "open")
    if (stopAsked || (!isAsking && (waiting?.count ?? 0) > 0)) return
    if (isAsking) more++
    const now = yield* session.state
    silent = now === before && !isAsking ? silent + 1 : 0
    before = now
  }
})

const prompt = Effect.fnUntraced(function* (
  self: OpenTurn,
  session: AcpSession.AcpSession,
  tasks: Service["tasks"],
  text: string,
  { begin, stop }: Hands
) {
  const { turn } = self
  const ready = yield* Effect.raceFirst(
    Effect.zipRight(self.closed, Prompt.prepare(self, session, text)),
    Effect.as(stop, undefined)
  )
  // Stopped before there was anything that the agent could stop.
  if (ready === undefined) return yield* TurnEnd.done(turn, self.entry.first ? "cancelled" : "unsent")
  if (ready.refusal !== undefined) return { _tag: "Failed", text: ready.refusal } satisfies End
  yield* begin(ready.blocks.map((block) => (block.type === "text" ? block.text : "")).join(""))
  if (self.state.get().stopAsked) return yield* TurnEnd.done(turn, self.entry.first ? "cancelled" : "unsent")
  return yield* session.prompt(ready.blocks).pipe(
    Effect.flatMap(({ stopReason, usage }) => TurnEnd.done(turn, String(stopReason), usage?.totalTokens)),
    // The connection broke after the prompt was sent: the turn goes on without us.
    Effect.catchTag("Detached", () => awaitEnd(self, session, tasks))
  )
})

/** Waits until the task is not at work any more; its channel has no signal for the end of a turn that others began. */
const awaitEnd = Effect.fnUntraced(function* (
  { messages, state, stopped, thread: { taskId }, turn }: OpenTurn,
  session: AcpSession.AcpSession,
  tasks: Service["tasks"]
) {
  const busy = Effect.flatMap(tasks.get(TaskId.make(taskId)), ({ status }) =>
    isTerminal(status) ? Effect.fail({ _tag: "TaskFailed" as const }) : Effect.succeed(isBusy(status))
  )
  const over = yield* session.awaitIdle(busy).pipe(
    Effect.as(false),
    Effect.catchTag("TaskFailed", () => Effect.succeed(true)),
    // An agent that does not stop is not waited for.
    Effect.raceFirst(Effect.as(Effect.zipRight(Deferred.await(stopped), Effect.sleep("5 seconds")), false))
  )
  if (over) return TurnEnd.failed(messages)
  const told = Projection.stopReason(yield* session.state, state.get().extent)
  return yield* TurnEnd.done(turn, state.get().stopAsked ? "cancelled" : told)
})
