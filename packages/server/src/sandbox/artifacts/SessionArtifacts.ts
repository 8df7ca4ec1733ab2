import type { TaskId } from "@heddle/core/domain/Task"
import { stringField } from "../../internal/Json.ts"
import type { ArtifactRecord } from "./ArtifactRecord.ts"
import type { ArtifactStore } from "./ArtifactStore.ts"
import * as ArtifactUpdate from "./ArtifactUpdate.ts"
import type { Change } from "./FolderScan.ts"
import * as LastMessage from "./LastMessage.ts"
import * as PlanTasks from "./PlanTasks.ts"
import * as PlanText from "./PlanText.ts"
import * as ArtifactRecords from "./ArtifactRecords.ts"
import * as FileArtifacts from "./FileArtifacts.ts"
import * as PlanArtifacts from "./PlanArtifacts.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"

/** The artifacts of one session: every change is stored, numbered and pushed. */
export interface SessionArtifacts {
  /** Stores the plan in the `update` of a `session/update`. */
  readonly handleUpdate: (update: unknown) => void
  /** Stores the plan in a permission request that ends a plan mode. */
  readonly handlePermissionRequest: (params: unknown) => void
  /** Stores the text of a plan file. */
  readonly putPlan: (uri: string, text: string) => void
  /** Cancels the unfinished tasks of all lists. */
  readonly stopTasks: () => void
  /** Stores an agent's artifact notification; returns the reason when it is refused. */
  readonly handleNotification: (params: unknown) => string | undefined
  /** Stores changed files of the artifacts folder as media, and `plan.md` as a plan. */
  readonly applyFileChanges: (changes: ReadonlyArray<Change>) => void
  readonly beginTurn: () => void
  /** Stores the last message of a completed turn as the overview, where that is enabled. */
  readonly endTurn: (stopReason: string | undefined) => void
}

/** The services and settings of a session's artifacts. */
export interface Dependencies {
  readonly unitOfWork: UnitOfWork
  readonly store: ArtifactStore["Type"]
  /** The prefix of extension notifications. */
  readonly prefix: string
  /** The artifacts folder, under every path that an agent may use for it. */
  readonly folders: ReadonlyArray<string>
  readonly overview: boolean
  /** Maximum size of the agent's artifacts, in characters of JSON. */
  readonly maxBytes: number
  /** Sends a notice of the service to all clients, once per task and `kind`. */
  readonly notice: (kind: string, text: string) => void
  /** Requests the read of a plan file; {@link SessionArtifacts.putPlan} stores its text. */
  readonly readPlan: (uri: string, file: string) => void
}

/** Makes the artifacts of a session, beginning with the stored ones. */
export const make = (
  taskId: TaskId,
  stored: ReadonlyArray<ArtifactRecord>,
  dependencies: Dependencies
): SessionArtifacts => {
  const postedKinds = new Set<string>()
  const noticeOnce = (kind: string, text: string) => {
    if (!postedKinds.has(kind)) dependencies.notice(kind, text)
    postedKinds.add(kind)
  }
  const records = ArtifactRecords.make(taskId, stored, { ...dependencies, noticeOnce })
  const plans = PlanArtifacts.make(taskId, records, dependencies.readPlan)
  const files = FileArtifacts.make(records, FileArtifacts.filesOf(stored).keys(), noticeOnce)
  const message = LastMessage.make()
  let hasOverview = false

  return {
    handleUpdate: (update) => {
      plans.handleUpdate(update)
      if (dependencies.overview) message.update(update)
    },
    handlePermissionRequest: plans.handlePermissionRequest,
    putPlan: plans.putPlan,
    stopTasks: plans.stopTasks,

    handleNotification: (params) => {
      const update = ArtifactUpdate.parse(params, dependencies.folders)
      if (typeof update === "string") return update
      const { artifact, isDeleted, type, uri } = update
      const file = files.find(uri)
      if (type === "overview" && !isDeleted) hasOverview = true
      if (file === undefined) {
        if (!isDeleted) return putPublished(records, plans, update)
        records.remove(uri)
        return undefined
      }
      if (isDeleted) return "its file is still there"
      const body = ArtifactUpdate.mergeWithFile(artifact, file.body)
      return ArtifactUpdate.hasChanges(body, file.body)
        ? records.put({ uri, type: file.type, md5: file.md5, body })
        : undefined
    },

    applyFileChanges: files.applyChanges,

    beginTurn: () => {
      message.begin()
      hasOverview = false
    },
    endTurn: (stopReason) => {
      const text = message.text()
      if (!dependencies.overview || hasOverview || stopReason !== "end_turn" || text === undefined) return
      records.put({
        uri: PlanArtifacts.uriOf(taskId, "overview"),
        type: "overview",
        md5: PlanArtifacts.md5Of(text),
        body: { name: "overview.md", title: "Overview", mimeType: "text/markdown", text }
      })
    }
  }
}

/** Stores an artifact that the agent publishes; returns the reason when it is refused. */
const putPublished = (
  records: ArtifactRecords.ArtifactRecords,
  plans: PlanArtifacts.PlanArtifacts,
  { artifact, type, uri }: ArtifactUpdate.ArtifactUpdate
): string | undefined => {
  const stored = records.get(uri)
  const text = type === "media" ? undefined : stringField(artifact, "text")
  const { tasks } = artifact
  const lines = type === "tasks" && Array.isArray(tasks) ? { tasks: PlanTasks.fillIn(tasks, plans.tasksOf(uri)) } : {}
  const previous = type === "plan" ? PlanText.currentText(stored) : undefined
  const isRepeated = previous !== undefined && previous === text
  if (isRepeated && stored !== undefined && !ArtifactUpdate.hasChanges(artifact, stored.body)) return undefined
  const previousText = isRepeated ? stored?.body["previousText"] : previous
  return records.put({
    uri,
    type,
    md5: text === undefined ? undefined : PlanArtifacts.md5Of(text),
    body: {
      ...(isRepeated || previousText === undefined ? {} : { previousText: previousText }),
      ...artifact,
      ...(isRepeated ? { previousText: previousText } : {}),
      ...lines
    }
  })
}

/** Cancels the unfinished tasks of a session that is not loaded. */
export const stopTasks = (
  taskId: TaskId,
  stored: ReadonlyArray<ArtifactRecord>,
  dependencies: Pick<Dependencies, "unitOfWork" | "store" | "prefix">
): void => {
  const records = ArtifactRecords.make(taskId, stored, { ...dependencies, maxBytes: Infinity, noticeOnce: () => {} })
  PlanArtifacts.make(taskId, records, () => {}).stopTasks()
}
