import type { Event, Message } from "@heddle/core/api/AssistantProtocol"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import * as FiberSet from "effect/FiberSet"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { createHash, randomUUID } from "node:crypto"
import * as Path from "node:path"
import * as Agent from "./Agent.ts"
import * as Approvals from "./Approvals.ts"
import { AssistantError } from "./AssistantError.ts"
import * as StateFolder from "./internal/StateFolder.ts"
import * as MessageAnswers from "./MessageAnswers.ts"
import * as ServiceConnection from "./ServiceConnection.ts"
import * as ServiceUrl from "./ServiceUrl.ts"
import * as StateFile from "./StateFile.ts"
import type { Terminal } from "./Terminal.ts"

/** The options of a local assistant. */
export interface Options {
  /** The service's address. */
  readonly service: string
  /** The credential of this computer, from `heddle-server assistant create`. */
  readonly token: Redacted.Redacted
  /** The ACP agent, program and arguments. */
  readonly agentCommand: ReadonlyArray<string>
  /** The folder in which the agent works; this process's own by default. */
  readonly cwd?: string
  /** How permission requests of the agent are answered; `ask` by default. */
  readonly approve?: Approvals.Approve
  /** The terminal of the local user, who is not asked without one. */
  readonly terminal?: Terminal
  /** The folder that stores the sessions; by default under the user's state directory. */
  readonly stateDir?: string
  /** A turn without output of the agent for this long ends; ten minutes by default. */
  readonly turnSilence?: Duration.DurationInput
  /** How long a person may take for an answer; five minutes by default (contract decision 114). */
  readonly patience?: Duration.DurationInput
}

/** A local assistant that is online. */
export interface Running {
  /** Waits for the end: the credential was revoked, or another program uses it. */
  readonly ended: Effect.Effect<never, AssistantError>
}

/**
 * Runs this computer's local assistant: it is online, answers the messages with the agent one by one, and reconnects when
 * the service was away. Returns after the first connection; ends with the scope.
 */
export const run = Effect.fn("LocalAssistant.run")(function* (
  options: Options
): Effect.fn.Return<Running, AssistantError, Scope.Scope> {
  const agent = { command: options.agentCommand, folder: Path.resolve(options.cwd ?? process.cwd()) }
  const service = yield* ServiceUrl.check(options.service)
  yield* Agent.check(agent)
  const stateFile = yield* StateFile.open(options.stateDir ?? StateFolder.defaultPath(), stateName(options.token))
  const connection = ServiceConnection.make({ service, token: options.token, instance: randomUUID() })
  const failure = yield* Deferred.make<never, AssistantError>()
  const online = yield* Deferred.make<void>()
  const answerFibers = yield* FiberMap.make<string>()
  const settings = { applicationsAnswer: false, reportEvery: Duration.seconds(10) }
  const approvals = yield* Approvals.make({
    approve: options.approve ?? "ask",
    terminal: options.terminal,
    answerTimeout: options.patience ?? "5 minutes",
    mayApplicationsAnswer: () => settings.applicationsAnswer,
    send: connection.send
  })
  const answers = yield* MessageAnswers.make({
    agent,
    approvals,
    connection,
    stateFile,
    maxSilence: options.turnSilence ?? "10 minutes"
  })
  const report = Effect.flatMap(answers.problem, connection.report)
  const answer = (message: Message) =>
    answers.answer(message).pipe(
      Effect.catchAll((error) => Deferred.fail(failure, error)),
      Effect.catchAllDefect((defect) => Effect.logError("a message could not be answered", defect))
    )
  const handle = ({ data, event }: Event): Effect.Effect<unknown> => {
    switch (event) {
      case "welcome":
        settings.applicationsAnswer = data.permissionResponse === "accept"
        settings.reportEvery = Duration.millis(data.pulseMillis)
        return Effect.zipRight(Deferred.succeed(online, undefined), report)
      case "message":
        // After a reconnect the service repeats the message that is being answered.
        return FiberMap.run(answerFibers, data.messageId, answer(data), { onlyIfMissing: true })
      case "answer":
        return Effect.sync(() => approvals.handleAnswer(data))
      case "replaced":
        return Deferred.fail(failure, replacedError)
      case "revoked":
        return Effect.void
    }
  }
  const fork = yield* FiberSet.makeRuntime()
  yield* connection
    .listen((event) => void fork(handle(event)))
    .pipe(
      Effect.catchAll((error) => Deferred.fail(failure, error)),
      Effect.forkScoped
    )
  yield* Effect.suspend(() => Effect.sleep(settings.reportEvery)).pipe(
    Effect.zipRight(report),
    Effect.forever,
    Effect.forkScoped
  )
  yield* Effect.raceFirst(Deferred.await(online), Deferred.await(failure))
  return { ended: Deferred.await(failure) }
})

/** The name of a credential's state: a part of its hash, which reveals nothing. */
const stateName = (token: Redacted.Redacted): string =>
  createHash("sha256").update(Redacted.value(token)).digest("hex").slice(0, 16)

const replacedError = new AssistantError({
  setting: "HEDDLE_ASSISTANT_TOKEN",
  problem: "another program has connected with this credential",
  fix: "Make one for each computer with: heddle-server assistant create --user ID"
})
