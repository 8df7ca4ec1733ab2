import * as ArtifactPath from "./ArtifactPath.ts"
import * as ArtifactRecord from "./ArtifactRecord.ts"
import * as ArtifactUpdate from "./ArtifactUpdate.ts"
import type { Change, ReportedFile } from "./FolderScan.ts"
import * as PlanFile from "./PlanFile.ts"
import * as PlanText from "./PlanText.ts"
import type { ArtifactRecords } from "./ArtifactRecords.ts"

/** The files of the artifacts folder as artifacts. */
export interface FileArtifacts {
  /** Stores changed files as media, and `plan.md` as a plan. */
  readonly applyChanges: (changes: ReadonlyArray<Change>) => void
  /** The record of a file in the folder; an agent cannot change the facts of such a file. */
  readonly find: (uri: string) => ArtifactRecord.ArtifactRecord | undefined
}

/** The files of these records, as last published. */
export const filesOf = (records: ReadonlyArray<ArtifactRecord.ArtifactRecord>): ReadonlyMap<string, ReportedFile> => {
  const files = new Map<string, ReportedFile>()
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
  knownPaths: Iterable<string>,
  noticeOnce: (kind: string, text: string) => void
): FileArtifacts => {
  const paths = new Set(knownPaths)

  const fromChange = (change: Change, now: number): ArtifactRecord.ArtifactRecord | undefined => {
    if (change._tag === "Overfull") return void noticeOnce("overfull", overfullNotice(change.files))
    if (change._tag === "Limited") return void noticeOnce(change.kind, limitNotices[change.kind])
    const uri = ArtifactPath.toUri(change.path)
    if (change._tag === "Gone") {
      paths.delete(change.path)
      const present = records.getPresent(uri)
      return present === undefined ? undefined : ArtifactRecord.remove(present, now)
    }
    paths.add(change.path)
    return fromFile(change, uri, now)
  }

  const fromFile = (
    { file: description, path, plan }: Extract<Change, { _tag: "Written" }>,
    uri: string,
    now: number
  ) => {
    const previous = records.get(uri)
    const { md5 = "", ...file } = description
    const name = path.split("/").at(-1) ?? path
    if (plan === undefined) {
      const { description, ...agentTexts } = ArtifactUpdate.agentTextsOf(records.getPresent(uri)?.body ?? {})
      const descriptionField = description === undefined || description === withoutHashNotice ? {} : { description }
      const unhashed = md5 === "" ? { description: withoutHashNotice } : {}
      const body = { name, title: name, ...agentTexts, ...unhashed, ...descriptionField, ...file }
      return ArtifactRecord.put(previous, { uri, type: "media", md5, body }, now)
    }
    const content = PlanText.toContent(uri, plan, previous, { name, size: file.size })
    if (content !== undefined) return ArtifactRecord.put(previous, content, now)
    // The agent published the plan before the scan found its file.
    const knownPaths = previous?.body["size"] === file.size
    return knownPaths || previous === undefined
      ? undefined
      : ArtifactRecord.put(previous, withSize(previous, file.size), now)
  }

  return {
    applyChanges: (changes) => {
      const now = records.tick()
      const changed = changes.map((change) => fromChange(change, now)).filter((record) => record !== undefined)
      // Artifacts with the same time are listed in this order.
      records.change(changed.toSorted((a, b) => (a.uri < b.uri ? -1 : 1)))
    },
    find: (uri) => {
      const path = ArtifactPath.fromUri(uri)
      return path !== undefined && paths.has(path) ? records.getPresent(uri) : undefined
    }
  }
}

/** Tells whether a record is of a file; only those have a hash, which may be empty. */
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

const overfullNotice = (files: number) =>
  `The folder artifacts/ holds more than this service looks at, so at most ${files} of its files are shown. Nothing is lost: the others stay where they are. Packed into an archive they count as one file.`

const limitNotices = {
  deep: "What lies more than 24 folders deep in artifacts/ is not shown. Nothing is lost: it stays where it is. Files that are moved up are shown.",
  link: "Links in artifacts/, and files that have a second name elsewhere, are not shown, because they can lead out of the task's folder. A copy is shown.",
  name: "Files and folders in artifacts/ whose names hold control characters or backslashes are not shown. Renamed they are.",
  slow: "The folder artifacts/ holds so much that changes in it are seen only every few seconds."
}

const withoutHashNotice = "Listed without a checksum: the file is large, or it was being written when it was read."
