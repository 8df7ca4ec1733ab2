import * as ArtifactPath from "./ArtifactPath.ts"
import { field, isRecord, stringField } from "../../internal/Json.ts"
import * as MediaType from "./MediaType.ts"

/** An artifact that an agent tells of itself. */
export interface ArtifactUpdate {
  readonly uri: string
  readonly type: string
  readonly deleted: boolean
  readonly artifact: Readonly<Record<string, unknown>>
}

/**
 * Reads the params of an artifact notification; gives the reason where they cannot be taken. A `file:` uri of a file in
 * one of the artifacts `folders` becomes that file's uri; other files of the sandbox are nobody's business (contract
 * decision 105).
 */
export const parse = (params: unknown, folders: ReadonlyArray<string>): ArtifactUpdate | string => {
  const artifact = field(params, "artifact")
  const type = stringField(artifact, "type")
  const said = stringField(artifact, "uri")
  if (!isRecord(artifact) || !type || !said) return "it has no type or no uri"
  const path = said.startsWith("file:") ? ArtifactPath.below(folders, said) : undefined
  const uri =
    said.length > maxUriLength ? undefined : ArtifactPath.normal(path === undefined ? said : ArtifactPath.toUri(path))
  if (uri === undefined || uri.length > maxUriLength) {
    return `its uri does not begin with ${ArtifactPath.prefix}, leads out of there, or is too long`
  }
  const deleted = field(params, "event") === "deleted"
  if (!deleted && !fits(type, artifact)) return `it lacks what an artifact of the type ${type} has`
  if (JSON.stringify(artifact).length > longest) return "it is larger than a megabyte"
  return { uri, type, deleted, artifact: withSafeType(artifact) }
}

/** What an agent says about a file, together with what the file itself says; that the agent cannot change. */
export const ofFile = (
  artifact: Readonly<Record<string, unknown>>,
  file: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => ({
  ...file,
  ...Object.fromEntries(Object.entries(artifact).filter(([name]) => !facts.has(name)))
})

/** What of an artifact are words of the agent's, which stay when its file changes. */
export const wordsOf = ({
  description,
  title
}: Readonly<Record<string, unknown>>): { readonly title?: string; readonly description?: string } => ({
  ...(typeof title === "string" ? { title } : {}),
  ...(typeof description === "string" ? { description } : {})
})

/** Tells whether `artifact` says anything that `body` does not say already, apart from versions and times. */
export const isNews = (artifact: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(artifact).some(
    ([name, value]) => !counted.has(name) && JSON.stringify(value) !== JSON.stringify(body[name])
  )

/** An artifact of more characters is left out. */
export const longest = 1024 * 1024

const maxUriLength = 8192

const counted: ReadonlySet<string> = new Set(["version", "previousText", "createdAt", "updatedAt"])

/** What the service knows better than an agent. */
const facts: ReadonlySet<string> = new Set([
  ...counted,
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

/** Tells whether an artifact has the fields that make its type (contract 2.9). */
const fits = (type: string, artifact: Readonly<Record<string, unknown>>): boolean => {
  if (type === "plan" || type === "overview") return typeof artifact["text"] === "string"
  const { tasks } = artifact
  return type !== "tasks" || (Array.isArray(tasks) && tasks.every((task) => stringField(task, "content") !== undefined))
}

/** What others put into headers must be fit for them. */
const withSafeType = (artifact: Readonly<Record<string, unknown>>) =>
  "mimeType" in artifact
    ? { ...artifact, mimeType: MediaType.format(MediaType.parse(artifact["mimeType"]) ?? MediaType.unknown) }
    : artifact
