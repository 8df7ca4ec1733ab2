import * as SqlClient from "@effect/sql/SqlClient"
import type * as JsonRpc from "@heddle/acp/JsonRpc"
import type { TaskId } from "@heddle/core/domain/Task"
import type { KnownStatus } from "@heddle/core/domain/TaskStatus"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Fs from "node:fs/promises"
import { SandboxOptions } from "../config/SandboxOptions.ts"
import { Metering } from "../tasks/Metering.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { AgentFailure } from "./agent/AgentFailure.ts"
import * as AgentHost from "./agent/AgentHost.ts"
import { RunningAgents } from "./agent/RunningAgents.ts"
import * as ArtifactFolder from "./artifacts/ArtifactFolder.ts"
import { ArtifactStore } from "./artifacts/ArtifactStore.ts"
import * as AgentWords from "./session/AgentWords.ts"
import * as RelativePaths from "./session/RelativePaths.ts"
import * as McpServers from "./session/McpServers.ts"
import * as PlanFile from "./artifacts/PlanFile.ts"
import * as PlanReader from "./artifacts/PlanReader.ts"
import * as AttachmentFolder from "./attachments/AttachmentFolder.ts"
import * as Owner from "./Owner.ts"
import * as SandboxFolder from "./SandboxFolder.ts"
import * as Choices from "./session/Choices.ts"
import * as WorkFiles from "./files/WorkFiles.ts"
import * as EventHandler from "./session/EventHandler.ts"
import * as FileArtifacts from "./artifacts/FileArtifacts.ts"
import * as HistoryLimit from "./session/HistoryLimit.ts"
import * as InputRequests from "./session/InputRequests.ts"
import { Journal } from "./journal/Journal.ts"
import * as Notice from "./journal/Notice.ts"
import * as PendingRequests from "./input/PendingRequests.ts"
import { SandboxStore, type SandboxRow } from "./journal/SandboxStore.ts"
import * as SessionArtifacts from "./artifacts/SessionArtifacts.ts"
import type { SandboxEvent } from "./session/SandboxEvent.ts"
import type { SessionContext } from "./session/SessionContext.ts"
import type { Subscribers } from "./journal/Subscribers.ts"
import * as ToolCalls from "./session/ToolCalls.ts"
import * as Turns from "./session/Turns.ts"
import * as UnitOfWork from "./journal/UnitOfWork.ts"

/** A task's sandbox while it is loaded: its folder, its agent and its session, owned by one fiber. */
export interface Sandbox {
  readonly taskId: TaskId
  readonly folder: string
  /** The newest entry of the journal when it was loaded. */
  readonly loadedAt: number
  /** Hands it an event. */
  readonly offer: (event: SandboxEvent) => void
  /**
   * Since when it has no agent and no work, in milliseconds of the monotonic clock; undefined while it has. Unloading it
   * then loses nothing: its clients stay connected.
   */
  readonly unusedSince: () => number | undefined
}

/** The transport's handle on a client connection. */
export interface ClientConnection {
  /** Receives a message of `size` bytes. */
  readonly receive: (message: JsonRpc.Message, size: number) => void
  readonly leave: () => void
}

export interface Settings {
  readonly folder: string
  /** Its clients; they may have been there before it was loaded. */
  readonly subscribers: Subscribers
  /** The owner of the task. */
  readonly userId: string
  /** How its agent is started, or why it cannot be. */
  readonly agent:
    | Pick<AgentHost.AgentSettings, "name" | "command" | "environment" | "signIn" | "isolation">
    | AgentFailure
  /** Runs after a defect of its owner. */
  readonly failed: Effect.Effect<void>
}

type Services = SqlClient.SqlClient | Journal | SandboxStore | ArtifactStore | TaskStore | Metering | RunningAgents

/** Loads the sandbox of a stored task; closing the scope ends its agent. */
export const make = Effect.fn("Sandbox.make")(function* (
  row: SandboxRow,
  settings: Settings
): Effect.fn.Return<Sandbox, never, Scope.Scope | Services> {
  const { taskId } = row
  const { folder } = settings
  yield* SandboxFolder.prepare(folder)
  const stored = yield* readStored(taskId)
  const owner = yield* Owner.make
  const { fork, offer, offerAfter } = owner

  const relativePaths = RelativePaths.make(folder)
  settings.subscribers.continueAt(stored.lastSeq)
  const output = yield* makeOutput(taskId, stored.lastSeq, settings.subscribers, relativePaths)
  const base = { ...output, taskId, fork, offer, offerAfter, relativePaths }
  const artifacts = yield* makeArtifacts(base, folder, stored.records)
  const agent = yield* makeAgent(base, row, settings, stored)
  const options = yield* SandboxOptions
  const context: SessionContext = {
    ...base,
    ...agent,
    historyLimit: HistoryLimit.make(options, () => stored.bytes + base.unitOfWork.publishedBytes()),
    attachments: yield* makeAttachments(folder),
    workFiles: WorkFiles.make(folder),
    taskFolder: folder,
    options,
    store: yield* SandboxStore,
    metering: yield* Metering,
    status: yield* makeStatus(base),
    memory: {
      initializeResponse: row.initializeResponse,
      hasOpened: row.agentSessionId !== undefined,
      knowsFolders: stored.spoken,
      postsFiles: row.postsFiles,
      failure: row.failure,
      useCount: 0
    }
  }
  const pending = PendingRequests.make(taskId, base.subscribers, base.unitOfWork, context.store)
  const toolCalls = ToolCalls.make(taskId, stored.toolCalls, base.unitOfWork)
  const turns = Turns.make(context, {
    stopTasks: artifacts.stopTasks,
    stopToolCalls: toolCalls.stop,
    waitsForPerson: pending.hasPending
  })
  const choices = Choices.make(row, context)
  const mcpServers = McpServers.make(context, turns.isRunning)
  const handle = EventHandler.make(context, { turns, pending, artifacts, toolCalls, choices, mcpServers })
  yield* owner.run(context, handle, settings.failed)

  return {
    taskId,
    folder,
    loadedAt: stored.lastSeq,
    offer,
    unusedSince: () => {
      // Clients were not told of a change, or named servers that are stored nowhere.
      const isNeeded = base.subscribers.all.size > 0 && (mcpServers.areNamed() || choices.isUntold())
      return isNeeded || agent.host.isRunning() ? undefined : owner.restsSince()
    }
  }
})

/** Reads the stored session: its journal's length and size, its artifacts, and its tool calls if any turn ever began. */
const readStored = Effect.fnUntraced(function* (taskId: TaskId) {
  const journal = yield* Journal
  const lastSeq = yield* journal.lastSeq(taskId)
  const records = yield* (yield* ArtifactStore).all(taskId)
  const spoken = (yield* (yield* SandboxStore).countTurns(taskId)) > 0
  const { bytes, toolCalls } = spoken ? yield* journal.summary(taskId) : { bytes: 0, toolCalls: [] }
  return { lastSeq, records, spoken, bytes, toolCalls }
})

type StoredSession = Effect.Effect.Success<ReturnType<typeof readStored>>

/** Makes the output of a session to its subscribers: its transactions. */
const makeOutput = Effect.fnUntraced(function* (
  taskId: TaskId,
  lastSeq: number,
  subscribers: Subscribers,
  relativePaths: RelativePaths.RelativePaths
) {
  const sql = yield* SqlClient.SqlClient
  const journal = yield* Journal
  const unitOfWork = AgentWords.over(UnitOfWork.make(taskId, lastSeq, { sql, journal, subscribers }), relativePaths)
  const notice = (text: string, kind?: string) =>
    unitOfWork.publish("session/update", Notice.makeUpdate(taskId, text, kind))
  return { subscribers, unitOfWork, notice }
})

type SessionBase = Pick<
  SessionContext,
  "taskId" | "fork" | "offer" | "offerAfter" | "subscribers" | "unitOfWork" | "notice" | "relativePaths"
>

const makeArtifacts = Effect.fnUntraced(function* (
  { fork, offer, taskId, unitOfWork }: SessionBase,
  folder: string,
  records: StoredSession["records"]
) {
  const options = yield* SandboxOptions
  const journal = yield* Journal
  const store = yield* ArtifactStore
  const realFolder = yield* Effect.promise(() => Fs.realpath(folder))
  const plans = PlanReader.make(
    fork,
    (file) => PlanFile.read(folder, file),
    (uri, text) => offer({ _tag: "PlanRead", uri, text })
  )
  return SessionArtifacts.make(taskId, records, {
    unitOfWork,
    store,
    prefix: options.extensionPrefix,
    folders: [SandboxFolder.artifacts(folder), SandboxFolder.artifacts(realFolder)],
    overview: options.overview,
    maxBytes: options.artifactBytes,
    notice: (kind, text) =>
      fork(
        Effect.map(journal.contains(taskId, Notice.journalPattern(kind)), (isPosted) => {
          if (!isPosted) offer({ _tag: "LimitReached", kind, text })
        })
      ),
    readPlan: plans.request
  })
})

const makeAttachments = (folder: string) =>
  Effect.flatMap(SandboxOptions, ({ attachmentBytes, attachmentFiles }) =>
    AttachmentFolder.make(folder, { files: attachmentFiles, bytes: attachmentBytes })
  )

/** Makes the host of the agent, and the watch of its artifacts folder. */
const makeAgent = Effect.fnUntraced(function* (
  base: SessionBase,
  row: SandboxRow,
  settings: Settings,
  stored: StoredSession
) {
  const { offer, taskId, relativePaths } = base
  const options = yield* SandboxOptions
  const inputRequests = InputRequests.make(taskId, relativePaths, offer)
  const folder = yield* ArtifactFolder.make(
    SandboxFolder.artifacts(settings.folder),
    FileArtifacts.filesOf(stored.records),
    options.artifactFiles,
    (changes) => offer({ _tag: "FilesChanged", changes })
  )
  const place = (yield* RunningAgents).place(settings.userId, () => offer({ _tag: "AgentWanted" }))
  if (settings.agent instanceof AgentFailure) return { folder, place, host: AgentHost.unavailable(settings.agent) }
  const host = yield* AgentHost.make(
    {
      ...settings.agent,
      folder: settings.folder,
      options,
      place: place.take,
      whileRunning: Effect.zipRight(
        Effect.addFinalizer(() => Effect.sync(() => offer({ _tag: "AgentEnded" }))),
        folder.watch
      ),
      previous: { agentSessionId: row.agentSessionId, hasHistory: stored.spoken }
    },
    {
      onNotification: (method, params) => {
        relativePaths.note(params["update"])
        offer({ _tag: "AgentSaid", method, params })
      },
      onOpened: (opened) => offer({ _tag: "AgentOpened", opened }),
      onPermission: inputRequests.permission,
      onElicitation: inputRequests.elicitation
    }
  )
  return { folder, place, host }
})

/** Makes a function that stores the task's status when it changes. */
const makeStatus = ({ taskId, unitOfWork }: SessionBase) =>
  Effect.map(TaskStore, (tasks) => {
    let currentStatus: KnownStatus | undefined
    return (status: KnownStatus) => {
      if (status === currentStatus) return
      currentStatus = status
      unitOfWork.write(tasks.transition(taskId, status))
    }
  })
