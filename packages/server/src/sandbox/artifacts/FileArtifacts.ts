import * as ArtifactPath from "./ArtifactPath.ts"
import * as ArtifactRecord from "./ArtifactRecord.ts"
import * as ArtifactUpdate from "./ArtifactUpdate.ts"
import type { Change, Known } from "./FolderScan.ts"
import * as PlanFile from "./PlanFile.ts"
import * as PlanText from "./PlanText.ts"
import type { ArtifactRecords } from "./ArtifactRecords.ts"

/** The files of the artifacts folder as artifacts. */
export interface FileArtifacts {
  /** Takes changes of the folder as media, and its `plan.md` as a plan. */
  readonly changed: (changes: ReadonlyArray<Change>) => void
  /** The record of a file that was found in the folder: what an agent says of it cannot change what it is. */
  readonly found: (uri: string) => ArtifactRecord.ArtifactRecord | undefined
}

/** The files that are behind these records, as they were published last. */
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

export const make = (
  records: ArtifactRecords,
  known: Iterable<string>,
  noticeOnce: (kind: string, text: string) => void
): FileArtifacts => {
  const found = new Set(known)

  const fromChange = (change: Change, now: number): ArtifactRecord.ArtifactRecord | undefined => {
    if (change._tag === "Overfull") return void noticeOnce("overfull", overfull(change.files))
    if (change._tag === "Limited") return void noticeOnce(change.kind, limited[change.kind])
    const uri = ArtifactPath.toUri(change.path)
    if (change._tag === "Gone") {
      found.delete(change.path)
      const present = records.present(uri)
      return present === undefined ? undefined : ArtifactRecord.remove(present, now)
    }
    found.add(change.path)
    return fromFile(change, uri, now)
  }

  const fromFile = (
    { file: described, path, plan }: Extract<Change, { _tag: "Written" }>,
    uri: string,
    now: number
  ) => {
    const before = records.get(uri)
    const { md5 = "", ...file } = described
    const name = path.split("/").at(-1) ?? path
    if (plan === undefined) {
      const { description, ...kept } = ArtifactUpdate.wordsOf(records.present(uri)?.body ?? {})
      const words = description === undefined || description === withoutHash ? {} : { description }
      const unhashed = md5 === "" ? { description: withoutHash } : {}
      const body = { name, title: name, ...kept, ...unhashed, ...words, ...file }
      return ArtifactRecord.put(before, { uri, type: "media", md5, body }, now)
    }
    const content = PlanText.toContent(uri, plan, before, { name, size: file.size })
    if (content !== undefined) return ArtifactRecord.put(before, content, now)
    // The agent published it before its file was found.
    const known = before?.body["size"] === file.size
    return known || before === undefined ? undefined : ArtifactRecord.put(before, withSize(before, file.size), now)
  }

  return {
    changed: (changes) => {
      const now = records.tick()
      const changed = changes.map((each) => fromChange(each, now)).filter((record) => record !== undefined)
      // Of those that begin in the same moment, the list has them in this order.
      records.change(changed.toSorted((a, b) => (a.uri < b.uri ? -1 : 1)))
    },
    found: (uri) => {
      const path = ArtifactPath.fromUri(uri)
      return path !== undefined && found.has(path) ? records.present(uri) : undefined
    }
  }
}

/** Tells whether a file of the artifacts folder is behind a record: those alone have a hash, or an empty one. */
const isFile = ({ event, md5, type, uri }: ArtifactRecord.ArtifactRecord): boolean =>
  event !== "deleted" &&
  md5 !== undefined &&
  (type === "media" || (type === "plan" && PlanFile.isPlan(ArtifactPath.fromUri(uri) ?? "")))

const withSize = ({ body, md5, type, uri }: ArtifactRecord.ArtifactRecord, size: number): ArtifactRecord.Content => ({
  uri,
  type,
  md5,
  body: { ...body, size }
})

const overfull = (files: number) =>
  `The folder artifacts/ holds more than this service looks at, so at most ${files} of its files are shown. Nothing is lost: the others stay where they are. Packed into an archive they count as one file.`

const limited = {
  deep: "What lies more than eight folders deep in artifacts/ is not shown. Nothing is lost: it stays where it is. Files that are moved up are shown.",
  link: "Links in artifacts/, and files that have a second name elsewhere, are not shown, because they can lead out of the task's folder. A copy is shown.",
  name: "Files and folders in artifacts/ whose names hold control characters or backslashes are not shown. Renamed they are.",
  slow: "The folder artifacts/ holds so much that changes in it are seen only every few seconds."
}

const withoutHash = "Listed without a checksum: the file is large, or it was being written when it was read."
