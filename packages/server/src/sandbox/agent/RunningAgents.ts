import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { SandboxOptions, type Options } from "../../config/SandboxOptions.ts"
import * as AgentFailure from "./AgentFailure.ts"

/**
 * The agents that run in this service, and how many may. It knows the agents of this process only, which alone serves
 * its data folder.
 */
export class RunningAgents extends Context.Tag("@heddle/server/sandbox/agent/RunningAgents")<
  RunningAgents,
  {
    /** The place of a sandbox's agent; `end` ends the agent if it still rests. */
    readonly place: (userId: string, end: () => void) => Place
  }
>() {}

/** Where the agent of one sandbox runs. */
export interface Place {
  /**
   * Takes the place until the scope closes. At the limit an agent that rests ends for it, the least recently used one
   * first; else it waits a while for one.
   */
  readonly take: Effect.Effect<void, AgentFailure.AgentFailure, Scope.Scope>
  /** Whether the agent could start at once. */
  readonly isFree: () => boolean
  /** The agent is at work from now on. */
  readonly use: () => void
  /** The agent rests from now on. */
  readonly rest: () => void
}

type Limits = Pick<Options, "agentWait" | "maxAgents" | "maxAgentsPerUser">

export const layer: Layer.Layer<RunningAgents> = Layer.effect(
  RunningAgents,
  Effect.map(SandboxOptions, (options) => make(options))
)

/** Makes the places of all agents. */
export const make = (limits: Limits): RunningAgents["Type"] => {
  const running = new Set<Member>()
  const waiting = new Set<Waiter>()

  const isFull = (members: ReadonlyArray<Member>, userId: string) =>
    members.length >= limits.maxAgents || isFullFor(members, userId)
  const isFullFor = (members: ReadonlyArray<Member>, userId: string) =>
    members.filter((member) => member.userId === userId).length >= limits.maxAgentsPerUser

  /** The agent that ends first for one of this user. */
  const leastUsed = (userId: string): Member | undefined => {
    const ofUser = isFullFor([...running], userId)
    return [...running]
      .filter((member) => member.restsSince !== undefined && !member.isEnding && (!ofUser || member.userId === userId))
      .sort((one, other) => (one.restsSince ?? 0) - (other.restsSince ?? 0))[0]
  }

  /** Gives the free places to those who wait, and makes more of them free. */
  const assign = () => {
    for (const waiter of waiting) {
      const { member } = waiter
      if (!isFull([...running], member.userId)) {
        waiting.delete(waiter)
        running.add(member)
        waiter.resume()
        continue
      }
      if (waiter.awaited?.isEnding === true && running.has(waiter.awaited)) continue
      const ending = leastUsed(member.userId)
      if (ending === undefined) continue
      ending.isEnding = true
      waiter.awaited = ending
      ending.end()
    }
  }

  const take = (member: Member) =>
    Effect.async<void>((resume) => {
      waiting.add({ member, awaited: undefined, resume: () => resume(Effect.void) })
      assign()
    }).pipe(
      Effect.timeoutFail({
        duration: limits.agentWait,
        onTimeout: () =>
          AgentFailure.fromLimit(
            isFullFor([...running], member.userId) ? limits.maxAgentsPerUser : limits.maxAgents,
            isFullFor([...running], member.userId) ? "user" : "service"
          )
      })
    )

  const leave = (member: Member) => {
    running.delete(member)
    for (const waiter of waiting) if (waiter.member === member) waiting.delete(waiter)
    assign()
  }

  return {
    place: (userId, end) => {
      let member: Member | undefined
      const note = (restsSince: number | undefined) => {
        if (member === undefined) return
        member.restsSince = restsSince
        member.isEnding = false
        assign()
      }
      return {
        take: Effect.suspend(() => {
          const taken: Member = { userId, end, restsSince: undefined, isEnding: false }
          member = taken
          return Effect.acquireReleaseInterruptible(take(taken), () => Effect.sync(() => leave(taken)))
        }),
        isFree: () => !isFull([...running], userId) || leastUsed(userId) !== undefined,
        use: () => note(undefined),
        rest: () => note(performance.now())
      }
    }
  }
}

/** An agent that runs, or is about to. */
interface Member {
  readonly userId: string
  readonly end: () => void
  /** In milliseconds of the monotonic clock; undefined while it is at work. */
  restsSince: number | undefined
  /** It is to end, unless it is at work again. */
  isEnding: boolean
}

interface Waiter {
  readonly member: Member
  readonly resume: () => void
  /** The agent that ends for this one. */
  awaited: Member | undefined
}
