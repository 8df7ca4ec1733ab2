import type { TaskId } from "@heddle/core/domain/Task"
import { createHash } from "node:crypto"
import type { Change } from "./ArtifactFolder.ts"
import * as ArtifactRecord from "./ArtifactRecord.ts"
import type { ArtifactStore } from "./ArtifactStore.ts"
import { field, isRecord, stringField } from "./internal/Json.ts"
import type { Ledger } from "./Ledger.ts"
import * as MediaType from "./MediaType.ts"
import * as PlanTasks from "./PlanTasks.ts"

/** What one session has produced: every change is stored, numbered and pushed. */
export interface SessionArtifacts {
  /** Takes an agent's plan as the task list. */
  readonly plan: (entries: unknown) => void
  /** Cancels what is left of the task list: nobody works on it any longer. */
  readonly stopTasks: () => void
  /** Takes an agent's own artifact notification; one without type or uri is left out and gives false. */
  readonly notified: (params: unknown) => boolean
  /** Takes changes of the artifacts folder as media. */
  readonly files: (changes: ReadonlyArray<Change>) => void
}

/** How the files of the artifacts folder are called: `agent:///artifacts/<path>`. */
export const uriOfFile = (path: string): string => filePrefix + path.split("/").map(encodeURIComponent).join("/")

/** The path under the artifacts folder that a uri names, undefined when it names none. */
export const fileOfUri = (uri: string): string | undefined => {
  if (!uri.startsWith(filePrefix)) return undefined
  try {
    return uri.slice(filePrefix.length).split("/").map(decodeURIComponent).join("/")
  } catch {
    // A stray percent sign: no uri of ours.
    return undefined
  }
}

/** Makes the artifacts of a session that has produced `records` before; `prefix` is that of extension notifications. */
export const make = (
  taskId: TaskId,
  records: ReadonlyArray<ArtifactRecord.ArtifactRecord>,
  prefix: string,
  ledger: Ledger,
  store: ArtifactStore["Type"]
): SessionArtifacts => {
  const byUri = new Map(records.map((record) => [record.uri, record]))

  const change = (record: ArtifactRecord.ArtifactRecord) => {
    byUri.set(record.uri, record)
    ledger.write(store.put(taskId, record))
    ledger.tell(`${prefix}/artifact`, { sessionId: taskId, event: record.event, artifact: record.body })
  }
  const put = (content: ArtifactRecord.Content) =>
    change(ArtifactRecord.put(byUri.get(content.uri), content, Date.now()))
  const remove = (uri: string) => {
    const before = byUri.get(uri)
    if (before !== undefined && before.event !== "deleted") change(ArtifactRecord.remove(before, Date.now()))
  }

  const planUri = `${filePrefix}${taskId}/tasks`
  const known = (): ReadonlyArray<PlanTasks.PlanTask> => {
    const lines = byUri.get(planUri)?.body["tasks"]
    return Array.isArray(lines) ? lines : []
  }
  const putTasks = (tasks: ReadonlyArray<PlanTasks.PlanTask>) => {
    const before = byUri.get(planUri)
    const md5 = md5Of(JSON.stringify(tasks))
    if (before !== undefined && before.event !== "deleted" && before.md5 === md5) return
    put({
      uri: planUri,
      type: "tasks",
      md5,
      body: { name: "tasks", title: "Tasks", mimeType: "application/json", tasks, enableEdit: false }
    })
  }

  return {
    plan: (entries) => putTasks(PlanTasks.fromPlan(Array.isArray(entries) ? entries : [], known())),

    stopTasks: () => {
      const tasks = PlanTasks.stopped(known())
      if (tasks !== undefined) putTasks(tasks)
    },

    notified: (params) => {
      const artifact = field(params, "artifact")
      const uri = stringField(artifact, "uri")
      const type = stringField(artifact, "type")
      if (!isRecord(artifact) || uri === undefined || uri === "" || type === undefined || type === "") return false
      if (field(params, "event") === "deleted") remove(uri)
      else {
        const text = stringField(artifact, "text")
        put({ uri, type, body: withSafeType(artifact), ...(text === undefined ? {} : { md5: md5Of(text) }) })
      }
      return true
    },

    files: (changes) => {
      for (const { path, ...found } of changes) {
        const uri = uriOfFile(path)
        if (found._tag === "Gone") remove(uri)
        else {
          const { md5, ...file } = found.file
          const name = path.split("/").at(-1) ?? path
          put({ uri, type: "media", md5, body: { name, title: name, ...file } })
        }
      }
    }
  }
}

/** What others put into headers must be fit for them. */
const withSafeType = (artifact: Readonly<Record<string, unknown>>) =>
  "mimeType" in artifact
    ? { ...artifact, mimeType: MediaType.format(MediaType.parse(artifact["mimeType"]) ?? MediaType.unknown) }
    : artifact

const filePrefix = "agent:///artifacts/"

const md5Of = (text: string): string => createHash("md5").update(text).digest("hex")
