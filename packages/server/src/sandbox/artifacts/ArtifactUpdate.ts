import * as ArtifactPath from "./ArtifactPath.ts"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import * as MediaType from "./MediaType.ts"

/** An agent's artifact notification. */
export interface ArtifactUpdate {
  readonly uri: string
  readonly type: string
  readonly isDeleted: boolean
  readonly artifact: Readonly<Record<string, unknown>>
}

/**
 * Reads the params of an artifact notification; returns the reason when they are refused. A `file:` uri of a file in
 * one of the artifacts `folders` becomes that file's uri. Other files of the sandbox stay private (contract decision
 * 105).
 */
export const parse = (params: unknown, folders: ReadonlyArray<string>): ArtifactUpdate | string => {
  const artifact = field(params, "artifact")
  const type = stringField(artifact, "type")
  const rawUri = stringField(artifact, "uri")
  if (!isRecord(artifact) || !type || !rawUri) return "it has no type or no uri"
  const path = rawUri.startsWith("file:") ? ArtifactPath.relativeToFolder(folders, rawUri) : undefined
  const uri =
    rawUri.length > maxUriLength
      ? undefined
      : ArtifactPath.normalise(path === undefined ? rawUri : ArtifactPath.toUri(path))
  if (uri === undefined || uri.length > maxUriLength) {
    return `its uri does not begin with ${ArtifactPath.prefix}, leads out of there, or is too long`
  }
  const isDeleted = field(params, "event") === "deleted"
  if (!isDeleted && !hasTypeFields(type, artifact)) return `it lacks what an artifact of the type ${type} has`
  if (JSON.stringify(artifact).length > maxChars) return "it is larger than a megabyte"
  return { uri, type, isDeleted, artifact: withSafeMimeType(artifact) }
}

/** Merges an agent's artifact with the facts of its file, which the agent cannot change. */
export const mergeWithFile = (
  artifact: Readonly<Record<string, unknown>>,
  file: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => ({
  ...file,
  ...Object.fromEntries(Object.entries(artifact).filter(([name]) => !serviceFields.has(name)))
})

/** The agent's texts in an artifact, which stay when its file changes. */
export const agentTextsOf = ({
  description,
  title
}: Readonly<Record<string, unknown>>): { readonly title?: string; readonly description?: string } => ({
  ...(typeof title === "string" ? { title } : {}),
  ...(typeof description === "string" ? { description } : {})
})

/** Tells whether `artifact` differs from `body` in any field but versions and times. */
export const hasChanges = (
  artifact: Readonly<Record<string, unknown>>,
  body: Readonly<Record<string, unknown>>
): boolean =>
  Object.entries(artifact).some(
    ([name, value]) => !versionFields.has(name) && JSON.stringify(value) !== JSON.stringify(body[name])
  )

/** Maximum size of an artifact, in characters of JSON. */
export const maxChars = 1024 * 1024

const maxUriLength = 8192

const versionFields: ReadonlySet<string> = new Set(["version", "previousText", "createdAt", "updatedAt"])

/** The fields of a file that only the service sets. */
const serviceFields: ReadonlySet<string> = new Set([
  ...versionFields,
  "uri",
  "type",
  "name",
  "size",
  "mimeType",
  "contentType",
  "width",
  "height",
  "url",
  "md5",
  "text",
  "enableEdit"
])

/** Tells whether an artifact has the required fields of its type (contract 2.9). */
const hasTypeFields = (type: string, artifact: Readonly<Record<string, unknown>>): boolean => {
  if (type === "plan" || type === "overview") return typeof artifact["text"] === "string"
  const { tasks } = artifact
  return type !== "tasks" || (Array.isArray(tasks) && tasks.every((task) => stringField(task, "content") !== undefined))
}

/** Makes the MIME type safe for a header. */
const withSafeMimeType = (artifact: Readonly<Record<string, unknown>>) =>
  "mimeType" in artifact
    ? { ...artifact, mimeType: MediaType.format(MediaType.parse(artifact["mimeType"]) ?? MediaType.unknown) }
    : artifact
