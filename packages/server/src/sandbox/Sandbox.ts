import * as SqlClient from "@effect/sql/SqlClient"
import * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import type { Known as Status } from "@heddle/core/domain/TaskStatus"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as FiberSet from "effect/FiberSet"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"
import { Metering } from "../tasks/Metering.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import * as AgentHost from "./agent/AgentHost.ts"
import * as ArtifactFolder from "./artifacts/ArtifactFolder.ts"
import { ArtifactStore } from "./artifacts/ArtifactStore.ts"
import * as Subscribers from "./session/Subscribers.ts"
import * as Bridge from "./session/Bridge.ts"
import type { Channel } from "./channel/Channel.ts"
import * as InputRequest from "./session/InputRequest.ts"
import { Journal } from "./session/Journal.ts"
import * as UnitOfWork from "./session/UnitOfWork.ts"
import * as PendingRequests from "./session/PendingRequests.ts"
import * as PlanFile from "./artifacts/PlanFile.ts"
import * as PlanReader from "./artifacts/PlanReader.ts"
import type { SandboxEvent } from "./session/SandboxEvent.ts"
import { SandboxOptions } from "../config/SandboxOptions.ts"
import { SandboxStore, type SandboxRow } from "./session/SandboxStore.ts"
import * as SessionArtifacts from "./session/SessionArtifacts.ts"
import * as ToolCalls from "./session/ToolCalls.ts"
import * as Turns from "./session/Turns.ts"

/** A task's sandbox while it is loaded: its folder, its agent and its clients, owned by one fiber. */
export interface Sandbox {
  readonly taskId: TaskId
  readonly folder: string
  /** Runs the initial prompt, or with `hold` only warms the agent up. */
  readonly start: (prompt: string, hold: boolean) => void
  /** Adds a client connection. */
  readonly join: (channel: Channel) => Connected
  /** Waits for the end of the owner, which comes only with the scope or with a defect. */
  readonly ended: Effect.Effect<void>
}

/** A client connection as its transport uses it. */
export interface Connected {
  /** Takes a message that has this many bytes. */
  readonly receive: (message: JsonRpc.Message, size: number) => void
  readonly leave: () => void
}

/** The folder that a sandbox keeps its agent's files for people in. */
export const artifactsFolder = (folder: string): string => Path.join(folder, "artifacts")

/** Creates the folders of a sandbox for this user only. */
export const prepareFolder = (folder: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    await Fs.mkdir(folder, { recursive: true, mode: 0o700 })
    for (const path of [artifactsFolder(folder), Path.join(folder, ".tmp")]) {
      // What the agent has put in the place of a folder stays; it is the agent's own work that misses it.
      await Fs.mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "EEXIST") throw error
      })
    }
  })

/** Loads the sandbox of a stored task; closing the scope ends its agent and its connections. */
export const make = Effect.fn("Sandbox.make")(function* (
  row: SandboxRow,
  settings: {
    readonly folder: string
    readonly agent: Pick<AgentHost.Settings, "command" | "environment" | "isolation">
  }
): Effect.fn.Return<
  Sandbox,
  never,
  Scope.Scope | SqlClient.SqlClient | Journal | SandboxStore | ArtifactStore | TaskStore | Metering
> {
  const { taskId } = row
  const { folder } = settings
  const options = yield* SandboxOptions
  const sql = yield* SqlClient.SqlClient
  const journal = yield* Journal
  const store = yield* SandboxStore
  const artifactStore = yield* ArtifactStore
  const tasks = yield* TaskStore
  const metering = yield* Metering

  yield* prepareFolder(folder)
  const lastSeq = yield* journal.lastSeq(taskId)
  const records = yield* artifactStore.all(taskId)
  const spoken = (yield* store.turns(taskId)) > 0
  const earlierCalls = spoken ? yield* journal.toolCalls(taskId) : []

  const events = yield* Mailbox.make<SandboxEvent>()
  const offer = (event: SandboxEvent) => {
    events.unsafeOffer(event)
  }
  const fork = yield* FiberSet.makeRuntime<never, void, never>()

  const subscribers = Subscribers.make(taskId, journal, lastSeq)
  const unitOfWork = UnitOfWork.make(taskId, lastSeq, { sql, journal, subscribers })
  const root = artifactsFolder(folder)
  const notice = (text: string, about?: string) => unitOfWork.tell("session/update", noticeUpdate(taskId, text, about))
  const planReads = PlanReader.make(
    fork,
    (file) => PlanFile.read(folder, file),
    (uri, text) => offer({ _tag: "PlanRead", uri, text })
  )
  const artifacts = SessionArtifacts.make(taskId, records, {
    unitOfWork,
    store: artifactStore,
    prefix: options.extensionPrefix,
    folders: [root, artifactsFolder(yield* Effect.promise(() => Fs.realpath(folder)))],
    overview: options.overview,
    mostBytes: options.artifactBytes,
    notice: (kind, text) =>
      fork(
        Effect.map(journal.contains(taskId, noticeMark(kind)), (known) => {
          if (!known) offer({ _tag: "LimitReached", kind, text })
        })
      ),
    readPlan: planReads.ask
  })
  const permissions = PendingRequests.make(taskId, subscribers, unitOfWork, store)
  const toolCalls = ToolCalls.make(taskId, earlierCalls, unitOfWork)

  const asked = { open: 0, size: 0 }
  const ask = (inputRequest: InputRequest.InputRequest) => {
    const size = JSON.stringify(inputRequest.params).length
    const problem = InputRequest.problem(size, asked)
    // Decided at once, so that what is refused is not kept until the agent has read that.
    return problem === undefined
      ? askPerson(inputRequest, size)
      : Effect.fail(new JsonRpc.RpcError({ code: JsonRpc.ErrorCode.invalidParams, message: problem }))
  }
  const askPerson = (inputRequest: InputRequest.InputRequest, size: number) =>
    Effect.suspend(() => {
      const permissionId = randomUUID()
      const answer = Deferred.unsafeMake<unknown>(FiberId.none)
      asked.open += 1
      asked.size += size
      offer({ _tag: "PermissionAsked", permissionId, inputRequest, answer })
      return Deferred.await(answer).pipe(
        Effect.onInterrupt(() => Effect.sync(() => offer({ _tag: "PermissionWithdrawn", permissionId }))),
        Effect.ensuring(
          Effect.sync(() => {
            asked.open -= 1
            asked.size -= size
          })
        )
      )
    })

  const artifactFiles = yield* ArtifactFolder.make(
    root,
    SessionArtifacts.filesOf(records),
    options.artifactFiles,
    (changes) => offer({ _tag: "FilesChanged", changes })
  )
  const host = yield* AgentHost.make(
    {
      ...settings.agent,
      folder,
      options,
      alongside: artifactFiles.watch,
      previous: { agentSessionId: row.agentSessionId, spoken }
    },
    {
      onNotification: (method, params) => offer({ _tag: "AgentSaid", method, params }),
      onOpened: (opened) => offer({ _tag: "AgentOpened", opened }),
      onPermission: (params) => ask(InputRequest.permission(params, taskId)),
      // Whatever its clients can show: who shows no forms is asked the same as questions.
      onElicitation: (params) => {
        const form = InputRequest.form(params, taskId)
        return form === undefined ? undefined : ask(form)
      }
    }
  )

  const memory: Bridge.Memory = {
    agentInfo: row.agentInfo,
    sessionInfo: row.sessionInfo,
    opened: row.agentSessionId !== undefined,
    failure: row.failure,
    activity: 0
  }
  let lastStatus: Status | undefined
  const context: Turns.Context = {
    taskId,
    options,
    unitOfWork,
    subscribers,
    store,
    metering,
    host,
    folder: artifactFiles,
    offer,
    fork,
    status: (status) => {
      if (status === lastStatus) return
      lastStatus = status
      unitOfWork.write(tasks.transition(taskId, status))
    },
    stopTasks: artifacts.stopTasks,
    stopToolCalls: toolCalls.stop,
    notice,
    waitsForPerson: permissions.waiting,
    opened: () => memory.opened,
    failed: (reason) => {
      memory.failure = reason
      unitOfWork.write(store.saveFailure(taskId, reason))
    }
  }
  const turns = Turns.make(context)
  const handle = Bridge.make(context, memory, { turns, permissions, artifacts, toolCalls })

  const ended = yield* Deferred.make<void>()
  yield* Effect.gen(function* () {
    const [batch] = yield* events.takeAll
    for (const event of batch) {
      // What one message breaks must not end the sandbox for everyone in it.
      yield* Effect.try(() => handle(event)).pipe(
        Effect.catchAll(({ error }) => Effect.logError(`an event was left out: ${event._tag}`, error))
      )
    }
    yield* unitOfWork.commit
  }).pipe(
    Effect.forever,
    Effect.catchAllCause((cause) => Effect.logError("the owner of a sandbox failed", cause)),
    Effect.annotateLogs({ taskId }),
    Effect.ensuring(
      Effect.suspend(() => {
        for (const subscriber of subscribers.all) subscriber.channel.close()
        return Deferred.succeed(ended, undefined)
      })
    ),
    Effect.forkScoped
  )

  return {
    taskId,
    folder,
    start: (prompt, hold) => offer({ _tag: "Started", prompt, hold }),
    join: (channel) => {
      const subscriber = Subscribers.subscriber(channel)
      offer({ _tag: "Joined", subscriber })
      return {
        receive: (message, size) => offer({ _tag: "Received", subscriber, message, size }),
        leave: () => offer({ _tag: "Left", subscriber })
      }
    },
    ended: Deferred.await(ended)
  }
})

/** What the service itself has to say in a thread: a message of its own, marked as such. */
export const noticeUpdate = (taskId: TaskId, text: string, about?: string) => ({
  sessionId: taskId,
  update: {
    sessionUpdate: "agent_message_chunk",
    messageId: randomUUID(),
    content: { type: "text", text },
    _meta: { "heddle/notice": true, ...(about === undefined ? {} : { "heddle/about": about }) }
  }
})

/** How such a message about something stands in the journal. */
const noticeMark = (about: string) => `"heddle/about":${JSON.stringify(about)}`
