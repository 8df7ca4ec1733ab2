import type { TaskId } from "@heddle/core/domain/Task"
import { createHash } from "node:crypto"
import * as AgentPlan from "../artifacts/AgentPlan.ts"
import * as ArtifactPath from "../artifacts/ArtifactPath.ts"
import * as ArtifactRecord from "../artifacts/ArtifactRecord.ts"
import type { ArtifactStore } from "../artifacts/ArtifactStore.ts"
import type { Change, Known } from "../artifacts/FolderScan.ts"
import { stringField } from "../../internal/Json.ts"
import * as LastMessage from "../artifacts/LastMessage.ts"
import type { UnitOfWork } from "./UnitOfWork.ts"
import * as PlanFile from "../artifacts/PlanFile.ts"
import * as PlanTasks from "../artifacts/PlanTasks.ts"
import * as PlanText from "../artifacts/PlanText.ts"
import * as ArtifactUpdate from "../artifacts/ArtifactUpdate.ts"

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
  readonly mostBytes: number
  /** Tells everyone something that the service itself has to say, once per task and `kind`. */
  readonly notice: (kind: string, text: string) => void
  /** Has a plan read that the agent keeps in a file; {@link SessionArtifacts.planRead} takes it. */
  readonly readPlan: (uri: string, file: string) => void
}

/** The files that are behind these records, as they were told last. */
export const filesOf = (records: ReadonlyArray<ArtifactRecord.ArtifactRecord>): ReadonlyMap<string, Known> => {
  const files = new Map<string, Known>()
  for (const record of records) {
    const path = ArtifactPath.fromUri(record.uri)
    const size = record.body["size"]
    if (path === undefined || !isFile(record) || typeof size !== "number") continue
    files.set(path, { size, md5: record.md5 === "" ? undefined : record.md5, updatedAt: record.updatedAt })
  }
  return files
}

/** Makes the artifacts of a session that has produced `records` before. */
export const make = (
  taskId: TaskId,
  records: ReadonlyArray<ArtifactRecord.ArtifactRecord>,
  outside: Outside
): SessionArtifacts => {
  const { folders, unitOfWork, notice, prefix, readPlan, store } = outside
  const byUri = new Map(records.map((record) => [record.uri, record]))
  const isAlive = (record: ArtifactRecord.ArtifactRecord | undefined) =>
    record !== undefined && record.event !== "deleted"
  let alive = records.filter(isAlive).length
  const sizes = new Map(records.map((record) => [record.uri, sizeOf(record)]))
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)
  const said = new Set<string>()
  const noticeOnce = (kind: string, text: string) => {
    if (!said.has(kind)) notice(kind, text)
    said.add(kind)
  }
  /** The files that were found in the folder; what an agent says of them cannot change what they are. */
  const found = new Set(filesOf(records).keys())

  // What is created later has a later time, so that pages that were read already do not shift (decision 101).
  let last = Math.min(
    Date.now(),
    records.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0)
  )
  const tick = () => (last = Math.max(Date.now(), last + 1))

  const change = (changed: ReadonlyArray<ArtifactRecord.ArtifactRecord>) => {
    if (changed.length === 0) return
    unitOfWork.write(store.put(taskId, changed))
    for (const record of changed) {
      alive += Number(isAlive(record)) - Number(isAlive(byUri.get(record.uri)))
      byUri.set(record.uri, record)
      bytes += sizeOf(record) - (sizes.get(record.uri) ?? 0)
      sizes.set(record.uri, sizeOf(record))
      unitOfWork.publish(`${prefix}/artifact`, { sessionId: taskId, event: record.event, artifact: record.body })
    }
  }
  /** Gives the reason when it is left out. */
  const put = (content: ArtifactRecord.Content): string | undefined => {
    const before = byUri.get(content.uri)
    const record = ArtifactRecord.put(before, content, tick())
    const many = (!isAlive(before) && alive >= mostArtifacts) || (before === undefined && byUri.size >= mostRecords)
    const large = bytes + sizeOf(record) - (sizes.get(content.uri) ?? 0) > outside.mostBytes
    if (!many && !large) return void change([record])
    const problem = many ? full : tooLarge
    noticeOnce(many ? "full" : "too large", problem)
    return problem
  }
  const remove = (uri: string) => {
    const before = byUri.get(uri)
    if (before !== undefined && isAlive(before)) change([ArtifactRecord.remove(before, tick())])
  }

  const reader = AgentPlan.reader()
  const uriOf = (kind: string, key?: string) =>
    `${ArtifactPath.prefix}${taskId}/${kind}${key === undefined ? "" : `/${encodeURIComponent(key)}`}`
  const tasksOf = (uri: string): ReadonlyArray<PlanTasks.PlanTask> => {
    const lines = byUri.get(uri)?.body["tasks"]
    return Array.isArray(lines) ? lines : []
  }
  const putTasks = (uri: string, tasks: ReadonlyArray<PlanTasks.PlanTask>) => {
    const before = byUri.get(uri)
    const md5 = md5Of(JSON.stringify(tasks))
    if (isAlive(before) && before?.md5 === md5) return
    put({
      uri,
      type: "tasks",
      md5,
      body: { name: "tasks", title: "Tasks", mimeType: "application/json", tasks, enableEdit: false }
    })
  }
  const putPlan = (uri: string, text: string) => {
    if (text.trim() === "" || text.length > ArtifactUpdate.longest) return
    const content = PlanText.toContent(uri, text, byUri.get(uri))
    if (content !== undefined) put(content)
  }
  const take = (plan: AgentPlan.AgentPlan | undefined) => {
    if (plan === undefined) return
    const { key } = plan
    if (plan._tag === "Tasks")
      putTasks(uriOf("tasks", key), PlanTasks.fromPlan(plan.entries, tasksOf(uriOf("tasks", key))))
    else if (plan._tag === "Text") putPlan(uriOf("plan", key), plan.text)
    else if (plan._tag === "File") readPlan(uriOf("plan", key), plan.file)
    else for (const kind of ["tasks", "plan"]) remove(uriOf(kind, key))
  }

  const message = LastMessage.make()
  let summed = false

  const fromChange = (change: Change, now: number): ArtifactRecord.ArtifactRecord | undefined => {
    if (change._tag === "Overfull") {
      noticeOnce("overfull", overfull(change.files))
      return undefined
    }
    if (change._tag === "Limited") {
      noticeOnce(change.kind, limited[change.kind])
      return undefined
    }
    const uri = ArtifactPath.toUri(change.path)
    const before = byUri.get(uri)
    if (change._tag === "Gone") {
      found.delete(change.path)
      return before !== undefined && isAlive(before) ? ArtifactRecord.remove(before, now) : undefined
    }
    found.add(change.path)
    const { md5 = "", ...file } = change.file
    const name = change.path.split("/").at(-1) ?? change.path
    if (change.plan !== undefined) {
      const content = PlanText.toContent(uri, change.plan, before, { name, size: file.size })
      if (content !== undefined) return ArtifactRecord.put(before, content, now)
      // Told by the agent before its file was found.
      const known = before?.body["size"] === file.size
      return known || before === undefined ? undefined : ArtifactRecord.put(before, withSize(before, file.size), now)
    }
    const { description, ...kept } = before !== undefined && isAlive(before) ? ArtifactUpdate.wordsOf(before.body) : {}
    const described = description === undefined || description === withoutHash ? {} : { description }
    const unhashed = md5 === "" ? { description: withoutHash } : {}
    const body = { name, title: name, ...kept, ...unhashed, ...described, ...file }
    return ArtifactRecord.put(before, { uri, type: "media", md5, body }, now)
  }

  const takeTold = (
    { artifact, type, uri }: ArtifactUpdate.ArtifactUpdate,
    before: ArtifactRecord.ArtifactRecord | undefined
  ): string | undefined => {
    const text = type === "media" ? undefined : stringField(artifact, "text")
    const { tasks } = artifact
    const lines = type === "tasks" && Array.isArray(tasks) ? { tasks: PlanTasks.complete(tasks, tasksOf(uri)) } : {}
    const previous = type === "plan" ? PlanText.previousText(before) : undefined
    const repeated = previous !== undefined && previous === text
    if (repeated && before !== undefined && !ArtifactUpdate.isNews(artifact, before.body)) return undefined
    const kept = repeated ? before?.body["previousText"] : previous
    return put({
      uri,
      type,
      md5: text === undefined ? undefined : md5Of(text),
      body: {
        ...(repeated || kept === undefined ? {} : { previousText: kept }),
        ...artifact,
        ...(repeated ? { previousText: kept } : {}),
        ...lines
      }
    })
  }

  return {
    updated: (update) => {
      take(reader.update(update))
      if (outside.overview) message.update(update)
    },
    asked: (params) => take(reader.permission(params)),
    planRead: putPlan,

    stopTasks: () => {
      for (const { event, type, uri } of byUri.values()) {
        if (type !== "tasks" || event === "deleted" || !uri.startsWith(uriOf("tasks"))) continue
        const tasks = PlanTasks.stopped(tasksOf(uri))
        if (tasks !== undefined) putTasks(uri, tasks)
      }
    },

    notified: (params) => {
      const told = ArtifactUpdate.parse(params, folders)
      if (typeof told === "string") return told
      const { artifact, deleted, type, uri } = told
      const before = byUri.get(uri)
      const path = ArtifactPath.fromUri(uri)
      const file = path !== undefined && found.has(path) && isAlive(before) ? before : undefined
      if (type === "overview" && !deleted) summed = true
      if (file !== undefined) {
        if (deleted) return "its file is still there"
        const body = ArtifactUpdate.ofFile(artifact, file.body)
        if (ArtifactUpdate.isNews(body, file.body)) return put({ uri, type: file.type, md5: file.md5, body })
      } else if (deleted) remove(uri)
      else return takeTold(told, before)
      return undefined
    },

    files: (changes) => {
      const now = tick()
      const records = changes.map((found) => fromChange(found, now)).filter((record) => record !== undefined)
      // Of those that begin in the same moment, the list has them in this order.
      change(records.toSorted((a, b) => (a.uri < b.uri ? -1 : 1)))
    },

    turnBegan: () => {
      message.begin()
      summed = false
    },
    turnEnded: (stopReason) => {
      const text = message.text()
      if (!outside.overview || summed || stopReason !== "end_turn" || text === undefined) return
      put({
        uri: uriOf("overview"),
        type: "overview",
        md5: md5Of(text),
        body: { name: "overview.md", title: "Overview", mimeType: "text/markdown", text }
      })
    }
  }
}

/** Cancels what is left of the task lists of a session that nobody has open. */
export const stopTasks = (
  taskId: TaskId,
  records: ReadonlyArray<ArtifactRecord.ArtifactRecord>,
  outside: Pick<Outside, "unitOfWork" | "store" | "prefix">
): void =>
  make(taskId, records, {
    ...outside,
    folders: [],
    overview: false,
    mostBytes: Infinity,
    notice: () => {},
    readPlan: () => {}
  }).stopTasks()

/** Tells whether a file of the artifacts folder is behind a record: those alone have a hash, or an empty one. */
const isFile = ({ event, md5, type, uri }: ArtifactRecord.ArtifactRecord): boolean =>
  event !== "deleted" &&
  md5 !== undefined &&
  (type === "media" || (type === "plan" && PlanFile.isPlan(ArtifactPath.fromUri(uri) ?? "")))

/** As many as an agent may tell of beside its files. */
const mostArtifacts = 10_000

/** With those that are gone: of them a day is remembered. */
const mostRecords = 50_000

const sizeOf = ({ body }: ArtifactRecord.ArtifactRecord): number => JSON.stringify(body).length

const full = `This session has ${mostArtifacts} artifacts already, so new ones of the agent are left out.`

const tooLarge =
  "The artifacts of this session are as large together as this service keeps, so new ones of the agent are left out. Files in the folder artifacts/ are shown still."

const overfull = (files: number) =>
  `The folder artifacts/ holds more than this service looks at, so at most ${files} of its files are shown. Nothing is lost: the others stay where they are. Packed into an archive they count as one file.`

const limited = {
  deep: "What lies more than eight folders deep in artifacts/ is not shown. Nothing is lost: it stays where it is. Files that are moved up are shown.",
  link: "Links in artifacts/, and files that have a second name elsewhere, are not shown, because they can lead out of the task's folder. A copy is shown.",
  name: "Files and folders in artifacts/ whose names hold control characters or backslashes are not shown. Renamed they are.",
  slow: "The folder artifacts/ holds so much that changes in it are seen only every few seconds."
}

const withSize = ({ body, md5, type, uri }: ArtifactRecord.ArtifactRecord, size: number): ArtifactRecord.Content => ({
  uri,
  type,
  md5,
  body: { ...body, size }
})

const withoutHash = "Listed without a checksum: the file is large, or it was being written when it was read."

const md5Of = (text: string): string => createHash("md5").update(text).digest("hex")
