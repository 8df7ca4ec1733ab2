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

/** What one session has produced: every change is stored, numbered and pushed. */
export interface SessionArtifacts {
  /** Takes the plans out of the `update` of a `session/update`. */
  readonly updated: (update: unknown) => void
  /** Takes the plan out of a permission request that ends a plan mode. */
  readonly asked: (params: unknown) => void
  /** Takes the text of a plan that the agent keeps in a file. */
  readonly planRead: (uri: string, text: string) => void
  /** Cancels what is left of the task lists: nobody works on them any longer. */
  readonly stopTasks: () => void
  /** Takes an agent's own artifact notification; gives the reason when it is left out. */
  readonly notified: (params: unknown) => string | undefined
  /** Takes changes of the artifacts folder as media, and its `plan.md` as a plan. */
  readonly files: (changes: ReadonlyArray<Change>) => void
  readonly turnBegan: () => void
  /** Takes the last message of a turn that came to its end as the overview, where that is wanted. */
  readonly turnEnded: (stopReason: string | undefined) => void
}

/** What the artifacts of a session act upon. */
export interface Outside {
  readonly unitOfWork: UnitOfWork
  readonly store: ArtifactStore["Type"]
  /** The prefix of extension notifications. */
  readonly prefix: string
  /** The artifacts folder, under every name that an agent may know it by. */
  readonly folders: ReadonlyArray<string>
  readonly overview: boolean
  /** How much is kept of what the agent tells, in characters of JSON. */
  readonly maxBytes: number
  /** Tells everyone something that the service itself has to say, once per task and `kind`. */
  readonly notice: (kind: string, text: string) => void
  /** Has a plan read that the agent keeps in a file; {@link SessionArtifacts.planRead} takes it. */
  readonly readPlan: (uri: string, file: string) => void
}

/** Makes the artifacts of a session that has produced `stored` before. */
export const make = (taskId: TaskId, stored: ReadonlyArray<ArtifactRecord>, outside: Outside): SessionArtifacts => {
  const said = new Set<string>()
  const noticeOnce = (kind: string, text: string) => {
    if (!said.has(kind)) outside.notice(kind, text)
    said.add(kind)
  }
  const records = ArtifactRecords.make(taskId, stored, { ...outside, noticeOnce })
  const plans = PlanArtifacts.make(taskId, records, outside.readPlan)
  const files = FileArtifacts.make(records, FileArtifacts.filesOf(stored).keys(), noticeOnce)
  const message = LastMessage.make()
  let summed = false

  return {
    updated: (update) => {
      plans.updated(update)
      if (outside.overview) message.update(update)
    },
    asked: plans.asked,
    planRead: plans.planRead,
    stopTasks: plans.stopTasks,

    notified: (params) => {
      const update = ArtifactUpdate.parse(params, outside.folders)
      if (typeof update === "string") return update
      const { artifact, deleted, type, uri } = update
      const file = files.found(uri)
      if (type === "overview" && !deleted) summed = true
      if (file === undefined) {
        if (!deleted) return put(records, plans, update)
        records.remove(uri)
        return undefined
      }
      if (deleted) return "its file is still there"
      const body = ArtifactUpdate.ofFile(artifact, file.body)
      return ArtifactUpdate.isNews(body, file.body)
        ? records.put({ uri, type: file.type, md5: file.md5, body })
        : undefined
    },

    files: files.changed,

    turnBegan: () => {
      message.begin()
      summed = false
    },
    turnEnded: (stopReason) => {
      const text = message.text()
      if (!outside.overview || summed || stopReason !== "end_turn" || text === undefined) return
      records.put({
        uri: PlanArtifacts.uriOf(taskId, "overview"),
        type: "overview",
        md5: PlanArtifacts.md5Of(text),
        body: { name: "overview.md", title: "Overview", mimeType: "text/markdown", text }
      })
    }
  }
}

/** Stores an artifact that the agent publishes; gives the reason when it is left out. */
const put = (
  records: ArtifactRecords.ArtifactRecords,
  plans: PlanArtifacts.PlanArtifacts,
  { artifact, type, uri }: ArtifactUpdate.ArtifactUpdate
): string | undefined => {
  const before = records.get(uri)
  const text = type === "media" ? undefined : stringField(artifact, "text")
  const { tasks } = artifact
  const lines = type === "tasks" && Array.isArray(tasks) ? { tasks: PlanTasks.complete(tasks, plans.tasksOf(uri)) } : {}
  const previous = type === "plan" ? PlanText.currentText(before) : undefined
  const repeated = previous !== undefined && previous === text
  if (repeated && before !== undefined && !ArtifactUpdate.isNews(artifact, before.body)) return undefined
  const kept = repeated ? before?.body["previousText"] : previous
  return records.put({
    uri,
    type,
    md5: text === undefined ? undefined : PlanArtifacts.md5Of(text),
    body: {
      ...(repeated || kept === undefined ? {} : { previousText: kept }),
      ...artifact,
      ...(repeated ? { previousText: kept } : {}),
      ...lines
    }
  })
}

/** Cancels what is left of the task lists of a session that is not loaded. */
export const stopTasks = (
  taskId: TaskId,
  stored: ReadonlyArray<ArtifactRecord>,
  outside: Pick<Outside, "unitOfWork" | "store" | "prefix">
): void => {
  const records = ArtifactRecords.make(taskId, stored, { ...outside, maxBytes: Infinity, noticeOnce: () => {} })
  PlanArtifacts.make(taskId, records, () => {}).stopTasks()
}
