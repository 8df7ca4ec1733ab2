import type { TaskId } from "@heddle/core/domain/Task"
import type { KnownStatus } from "@heddle/core/domain/TaskStatus"
import type * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import type { Options } from "../../config/SandboxOptions.ts"
import type { Metering } from "../../tasks/Metering.ts"
import type { AgentFailure } from "../agent/AgentFailure.ts"
import type { AgentHost } from "../agent/AgentHost.ts"
import type { Place } from "../agent/RunningAgents.ts"
import type { ArtifactFolder } from "../artifacts/ArtifactFolder.ts"
import type { AttachmentFolder } from "../attachments/AttachmentFolder.ts"
import type { WorkFiles } from "../files/WorkFiles.ts"
import type { HistoryLimit } from "./HistoryLimit.ts"
import type { RelativePaths } from "./RelativePaths.ts"
import type { SandboxEvent } from "./SandboxEvent.ts"
import type { SandboxStore } from "../journal/SandboxStore.ts"
import type { Subscribers } from "../journal/Subscribers.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"

/** The services and the state that the parts of one session share. */
export interface SessionContext {
  readonly taskId: TaskId
  readonly options: Options
  readonly unitOfWork: UnitOfWork
  readonly subscribers: Subscribers
  readonly store: SandboxStore["Type"]
  readonly metering: Metering["Type"]
  readonly host: AgentHost
  readonly place: Place
  readonly historyLimit: HistoryLimit
  readonly folder: ArtifactFolder
  readonly attachments: AttachmentFolder
  readonly workFiles: WorkFiles
  /** Absolute; the working directory of the agent. */
  readonly taskFolder: string
  readonly relativePaths: RelativePaths
  /** Hands an event to the owner of the session. */
  readonly offer: (event: SandboxEvent) => void
  /** Runs work in the background; the sandbox stays loaded until it ends. */
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Hands an event to the owner after a time; this keeps no sandbox loaded. */
  readonly offerAfter: (time: Duration.Duration, event: SandboxEvent) => void
  /** Moves the task to a status. */
  readonly status: (status: KnownStatus) => void
  /** Sends a message of the service itself to every client; `kind` marks it, to be found in the journal. */
  readonly notice: (text: string, kind?: string) => void
  readonly memory: AgentMemory
}

/** Notes that the agent gets something to do. */
export const useAgent = ({ memory, place }: SessionContext): void => {
  memory.useCount += 1
  place.use()
}

/** The state of the session's agent. */
export interface AgentMemory {
  /** The agent's answer to `initialize`. */
  initializeResponse: unknown
  /** The agent has opened a session at least once. */
  hasOpened: boolean
  /** The agent remembers a prompt that told it where files go. */
  knowsFolders: boolean
  /** The files of each turn are published at its end. */
  postsFiles: boolean
  /** Why the agent never came up: every later prompt is refused with this reason. */
  failure: AgentFailure | undefined
  /** Counts uses of the agent: it stops as idle only if none followed. */
  useCount: number
}
