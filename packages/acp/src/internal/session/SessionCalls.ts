import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { type AcpError, NotDelivered } from "../../AcpError.ts"
import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { TurnEnd } from "../../TurnEnd.ts"
import * as Retries from "../Retries.ts"
import type { Attachment } from "./Attachment.ts"
import type { EventLoop } from "./EventLoop.ts"
import type { Callers } from "./SessionCommands.ts"
import type { Event, PromptError, State } from "./SessionLife.ts"

/** What callers do with a session, as events of its machine. */
export interface SessionCalls {
  readonly prompt: (content: ReadonlyArray<Wire.ContentBlock>) => Effect.Effect<TurnEnd, PromptError>
  readonly cancel: Effect.Effect<void, AcpError>
  readonly ready: Effect.Effect<Wire.InitializeResponse, AcpError>
  readonly closed: Effect.Effect<never, AcpError>
  /**
   * Waits until no `session/cancel` is on its way, each until its deadline: it could stop the turn of another session.
   */
  readonly cancelsSettled: Effect.Effect<void>
  /** Loads the history of an agent at rest, to learn whether a prompt in doubt is in it. */
  readonly resolveDoubt: Effect.Effect<void, AcpError | NotDelivered>
}

/** Makes the calls of one session. */
export const make = (loop: EventLoop<State, Event>, attachment: Attachment, callers: Callers): SessionCalls => {
  let lastId = 0

  const prompt = Effect.fn("AcpSession.prompt")((content: ReadonlyArray<Wire.ContentBlock>) =>
    Effect.uninterruptibleMask((restore) => {
      const id = ++lastId
      const ended = Deferred.unsafeMake<TurnEnd, PromptError>(FiberId.none)
      callers.prompts.set(id, ended)
      loop.dispatch({ _tag: "PromptRequested", prompt: { id, content } })
      return Effect.onInterrupt(restore(Deferred.await(ended)), () =>
        Effect.sync(() => {
          callers.prompts.delete(id)
          loop.dispatch({ _tag: "PromptAbandoned", id })
        })
      )
    })
  )

  const cancel = Effect.suspend(() => {
    const id = ++lastId
    const { turn } = loop.state()
    if (turn !== undefined) {
      loop.dispatch({ _tag: "CancelRequested", id })
      return loop.until((state) => (state.turn?.id === turn.id ? undefined : Effect.void))
    }
    const settled = Deferred.unsafeMake<void, AcpError>(FiberId.none)
    callers.cancels.set(id, settled)
    loop.dispatch({ _tag: "CancelRequested", id })
    return Deferred.await(settled)
  }).pipe(Effect.withSpan("AcpSession.cancel"))

  const ready = loop.until(({ channel }) => {
    if (channel._tag === "Ready") return Effect.succeed(channel.agent)
    return channel._tag === "Closed" ? Effect.fail(channel.error) : undefined
  })

  const resolveDoubt = Effect.gen(function* () {
    for (let { doubt } = loop.state(); doubt !== undefined; { doubt } = loop.state()) {
      const { agentCapabilities } = yield* ready
      // Who cannot replay its history leaves the doubt.
      if (agentCapabilities?.loadSession !== true) return
      const isLoaded = yield* attachment.reload(agentCapabilities).pipe(
        Effect.as(true),
        Effect.catchTag("ConnectionLost", () => Effect.as(Effect.sleep(Retries.reloadPause), false)),
        Effect.catchTag("RpcError", (error) =>
          Effect.as(Effect.logWarning("Whether a message arrived cannot be found out", error.message), true)
        )
      )
      if (loop.state().undelivered === doubt.id) return yield* new NotDelivered({ content: doubt.content })
      if (isLoaded) return
    }
  })

  return {
    prompt,
    cancel,
    ready,
    closed: loop.until(({ channel }) => (channel._tag === "Closed" ? Effect.fail(channel.error) : undefined)),
    cancelsSettled: loop.until(({ cancels }) => (cancels.every(({ overdue }) => overdue) ? Effect.void : undefined)),
    resolveDoubt
  }
}
