import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as ExecutionStrategy from "effect/ExecutionStrategy"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import * as Scope from "effect/Scope"
import { createHash, randomUUID } from "node:crypto"
import * as Agent from "./Agent.ts"
import * as AgentWords from "./AgentWords.ts"
import * as Approvals from "./Approvals.ts"
import { AssistantError } from "./AssistantError.ts"
import * as Conversation from "./Conversation.ts"
import * as StateFolder from "./internal/StateFolder.ts"
import * as Link from "./Link.ts"
import * as Memory from "./Memory.ts"
import * as ServiceUrl from "./ServiceUrl.ts"
import type { Terminal } from "./Terminal.ts"
import type { Event, Message } from "@heddle/core/api/AssistantProtocol"

/** What a local assistant is started with. */
export interface Options {
  /** The service's address. */
  readonly service: string
  /** The credential of this computer, from `heddle-server assistant create`. */
  readonly token: Redacted.Redacted
  /** The ACP agent, program and arguments. */
  readonly agentCommand: ReadonlyArray<string>
  /** The folder in which the agent works; this process's own by default. */
  readonly cwd?: string
  /** What is done when the agent asks for permission; `ask` by default. */
  readonly approve?: Approvals.Approve
  /** Where the local user is asked; without one nobody is. */
  readonly terminal?: Terminal
  /** Where the program remembers its sessions; a folder under the user's state directory by default. */
  readonly stateDir?: string
  /** A turn without any sign of the agent for this long is ended; ten minutes by default. */
  readonly turnSilence?: Duration.DurationInput
  /** How long a person may take for an answer; five minutes by default (decision 114). */
  readonly patience?: Duration.DurationInput
}

/** A local assistant that is online. */
export interface Running {
  /** Waits until it cannot go on: its credential was taken back, or another program uses it. */
  readonly ended: Effect.Effect<never, AssistantError>
}

/**
 * Runs this computer's local assistant: appears online, answers each message by the agent, one after the other, and
 * comes back whenever the service was away. Waits for the first connection; ends with the scope.
 */
export const run = Effect.fn("LocalAssistant.run")(function* (
  options: Options
): Effect.fn.Return<Running, AssistantError, Scope.Scope> {
  const service = yield* ServiceUrl.check(options.service)
  const agent = Agent.make(options.agentCommand, options.cwd ?? process.cwd())
  yield* Agent.check(agent)
  const memory = yield* Memory.open(
    options.stateDir ?? StateFolder.standard(),
    // Neither the credential nor anything that leads to it.
    createHash("sha256").update(Redacted.value(options.token)).digest("hex").slice(0, 16)
  )
  const runtime = yield* Effect.runtime()
  // Agents end side by side, so that many of them take no longer than one.
  const scope = yield* Scope.fork(yield* Effect.scope, ExecutionStrategy.parallel)
  const link = Link.make({ service, token: options.token, instance: randomUUID() })
  const ended = yield* Deferred.make<never, AssistantError>()
  const online = yield* Deferred.make<void>()
  const conversations = new Map<string, Conversation.Conversation & { restAt: number }>()
  let applicationsAnswer = false
  let pulseMillis = 10_000
  let problem: string | null = null
  /** What is being answered, or is on its way to the service. */
  let working: string | undefined
  /** Whose turn it is with the agent. */
  let message: Message | undefined

  const approvals = yield* Approvals.make({
    approve: options.approve ?? "ask",
    terminal: options.terminal,
    patience: options.patience ?? "5 minutes",
    applicationsAnswer: () => applicationsAnswer,
    tell: link.tell
  })

  const conversationWith = Effect.fnUntraced(function* ({ applicationId }: Message) {
    const known = conversations.get(applicationId)
    if (known !== undefined) return known
    const conversation = yield* Conversation.make({
      agent,
      previous: memory.session(applicationId),
      onSession: (id) => memory.remember(applicationId, id),
      onPermission: (permission) =>
        message === undefined ? Effect.die("asked without a turn") : approvals.decide(message, permission),
      silence: options.turnSilence ?? "10 minutes"
    }).pipe(Scope.extend(scope))
    const entry = { ...conversation, restAt: Infinity }
    conversations.set(applicationId, entry)
    return entry
  })

  const work = Effect.fn("LocalAssistant.answer")(function* (next: Message) {
    // An answer that was found before the program or the service went away is not found again.
    if (memory.answer(next.messageId) === undefined) {
      message = next
      const conversation = yield* conversationWith(next)
      conversation.restAt = Infinity
      const { broken, reply } = yield* conversation.turn(next.text)
      conversation.restAt = Date.now() + Duration.toMillis(agent.options.agentIdle)
      memory.keep(next.messageId, reply)
      problem = broken ? "The local assistant is connected, but its agent cannot be started." : null
      if (broken) yield* link.pulse(problem)
    }
    const path = `/messages/${next.messageId}/reply`
    // What the service does not take must not keep the messages behind it waiting.
    if (!(yield* link.tell(path, memory.answer(next.messageId)))) yield* link.tell(path, AgentWords.notTaken)
    memory.given(next.messageId)
  })

  const receive = ({ data, event }: Event) => {
    switch (event) {
      case "welcome":
        applicationsAnswer = data.permissionResponse === "accept"
        pulseMillis = data.pulseMillis
        Deferred.unsafeDone(online, Effect.void)
        Runtime.runFork(runtime)(link.pulse(problem), { scope })
        return
      case "message":
        // After a reconnect the service repeats what is being answered.
        if (working === data.messageId) return
        working = data.messageId
        Runtime.runFork(runtime)(
          work(data).pipe(
            Effect.catchAll((error) => Deferred.fail(ended, error)),
            Effect.catchAllDefect((defect) => Effect.logError("a message could not be answered", defect)),
            Effect.ensuring(
              Effect.sync(() => {
                if (working === data.messageId) working = undefined
              })
            )
          ),
          { scope }
        )
        return
      case "answer":
        return approvals.answered(data)
      case "replaced":
        return Deferred.unsafeDone(ended, Effect.fail(replaced))
      case "revoked":
        return
    }
  }

  /** Says that the program lives; looks whether a broken agent works again, ends agents that rest. */
  const live = Effect.gen(function* () {
    if (problem !== null && (yield* Effect.isSuccess(Agent.check(agent)))) problem = null
    yield* link.pulse(problem)
    for (const conversation of conversations.values()) {
      if (conversation.restAt > Date.now()) continue
      conversation.restAt = Infinity
      yield* conversation.rest
    }
  })

  yield* link.listen(receive).pipe(
    Effect.catchAll((error) => Deferred.fail(ended, error)),
    Effect.forkScoped
  )
  yield* Effect.suspend(() => Effect.sleep(pulseMillis)).pipe(Effect.zipRight(live), Effect.forever, Effect.forkScoped)
  yield* Effect.raceFirst(Deferred.await(online), Deferred.await(ended))
  return { ended: Deferred.await(ended) }
})

const replaced = new AssistantError({
  setting: "HEDDLE_ASSISTANT_TOKEN",
  problem: "another program has connected with this credential",
  fix: "Make one for each computer with: heddle-server assistant create --user ID"
})
