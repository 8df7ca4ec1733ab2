import type { TaskId } from "@heddle/core/domain/Task"
import * as ArtifactRecord from "./ArtifactRecord.ts"
import type { ArtifactStore } from "./ArtifactStore.ts"
import type { UnitOfWork } from "../journal/UnitOfWork.ts"

/** The artifacts of one session in their newest state. */
export interface ArtifactRecords {
  readonly get: (uri: string) => ArtifactRecord.ArtifactRecord | undefined
  /** The artifact unless it was deleted. */
  readonly getPresent: (uri: string) => ArtifactRecord.ArtifactRecord | undefined
  readonly all: () => Iterable<ArtifactRecord.ArtifactRecord>
  /** Returns a time after all earlier changes, in epoch milliseconds. */
  readonly tick: () => number
  /** Stores and publishes changed records. */
  readonly change: (changed: ReadonlyArray<ArtifactRecord.ArtifactRecord>) => void
  /** Stores the content of an artifact; returns the reason when it is refused. */
  readonly put: (content: ArtifactRecord.Content) => string | undefined
  readonly remove: (uri: string) => void
}

/** Makes the records of a session, beginning with the stored ones. */
export const make = (
  taskId: TaskId,
  records: ReadonlyArray<ArtifactRecord.ArtifactRecord>,
  services: {
    readonly unitOfWork: UnitOfWork
    readonly store: ArtifactStore["Type"]
    /** The prefix of extension notifications. */
    readonly prefix: string
    /** Maximum size of the agent's artifacts, in characters of JSON. */
    readonly maxBytes: number
    readonly noticeOnce: (kind: string, text: string) => void
  }
): ArtifactRecords => {
  const byUri = new Map(records.map((record) => [record.uri, record]))
  const sizes = new Map(records.map((record) => [record.uri, sizeOf(record)]))
  const totals = {
    present: records.filter(isPresent).length,
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0)
  }
  // A later artifact has a later time, so that pages that clients have read do not shift (contract decision 101).
  let lastTime = Math.min(
    Date.now(),
    records.reduce((latest, { createdAt }) => Math.max(latest, createdAt), 0)
  )
  const tick = () => (lastTime = Math.max(Date.now(), lastTime + 1))

  const change = (changed: ReadonlyArray<ArtifactRecord.ArtifactRecord>) => {
    if (changed.length === 0) return
    services.unitOfWork.write(services.store.put(taskId, changed))
    for (const record of changed) {
      totals.present += Number(isPresent(record)) - Number(isPresent(byUri.get(record.uri)))
      byUri.set(record.uri, record)
      totals.bytes += sizeOf(record) - (sizes.get(record.uri) ?? 0)
      sizes.set(record.uri, sizeOf(record))
      const params = { sessionId: taskId, event: record.event, artifact: record.body }
      services.unitOfWork.publish(`${services.prefix}/artifact`, params)
    }
  }

  return {
    get: (uri) => byUri.get(uri),
    getPresent: (uri) => {
      const record = byUri.get(uri)
      return isPresent(record) ? record : undefined
    },
    all: () => byUri.values(),
    tick,
    change,
    put: (content) => {
      const previous = byUri.get(content.uri)
      const record = ArtifactRecord.put(previous, content, tick())
      const isFull =
        (!isPresent(previous) && totals.present >= maxArtifacts) || (previous === undefined && byUri.size >= maxRecords)
      const isTooLarge = totals.bytes + sizeOf(record) - (sizes.get(content.uri) ?? 0) > services.maxBytes
      if (!isFull && !isTooLarge) return void change([record])
      const problem = isFull ? fullNotice : tooLargeNotice
      services.noticeOnce(isFull ? "full" : "too large", problem)
      return problem
    },
    remove: (uri) => {
      const previous = byUri.get(uri)
      if (previous !== undefined && isPresent(previous)) change([ArtifactRecord.remove(previous, tick())])
    }
  }
}

const isPresent = (record: ArtifactRecord.ArtifactRecord | undefined): boolean =>
  record !== undefined && record.event !== "deleted"

const sizeOf = ({ body }: ArtifactRecord.ArtifactRecord): number => JSON.stringify(body).length

/** Maximum number of artifacts that an agent may publish beside its files. */
const maxArtifacts = 10_000

/** Maximum number of records, including deleted ones, which are kept for a day. */
const maxRecords = 50_000

const fullNotice = `This session has ${maxArtifacts} artifacts already, so new ones of the agent are left out.`

const tooLargeNotice =
  "The artifacts of this session are as large together as this service keeps, so new ones of the agent are left out. Files in the folder artifacts/ are shown still."
