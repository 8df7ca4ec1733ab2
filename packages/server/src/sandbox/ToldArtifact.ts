import * as ArtifactPath from "./ArtifactPath.ts"
import { field, isRecord, stringField } from "./internal/Json.ts"
import * as MediaType from "./MediaType.ts"

/** An artifact that an agent tells of itself. */
export interface ToldArtifact {
  readonly uri: string
  readonly type: string
  readonly deleted: boolean
  readonly artifact: Readonly<Record<string, unknown>>
}

/**
 * Reads the params of an artifact notification; gives the reason where they cannot be taken. A `file:` uri of a file in
 * one of the artifacts `folders` becomes that file's uri; other files of the sandbox are nobody's business (decision 105).
 */
export const parse = (params: unknown, folders: ReadonlyArray<string>): ToldArtifact | string => {
  const artifact = field(params, "artifact")
  const type = stringField(artifact, "type")
  const said = stringField(artifact, "uri")
  if (!isRecord(artifact) || !type || !said) return "it has no type or no uri"
  const path = said.startsWith("file:") ? ArtifactPath.below(folders, said) : undefined
  const uri = path === undefined ? said : ArtifactPath.toUri(path)
  if (!uri.startsWith(ArtifactPath.prefix) || uri.length > longestUri) {
    return `its uri does not begin with ${ArtifactPath.prefix}, or is too long`
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
): Readonly<Record<string, unknown>> => {
  const facts = Object.entries(file).filter(([name]) => measured.has(name))
  return { ...file, ...artifact, ...Object.fromEntries(facts) }
}

/** What of an artifact are words of the agent's, which stay when its file changes. */
export const wordsOf = ({ description, title }: Readonly<Record<string, unknown>>) => ({
  ...(typeof title === "string" ? { title } : {}),
  ...(typeof description === "string" ? { description } : {})
})

/** An artifact of more characters is left out. */
export const longest = 1024 * 1024

const longestUri = 8192

const measured: ReadonlySet<string> = new Set(["size", "contentType", "width", "height"])

/** Tells whether an artifact has the fields that make its type (2.9). */
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
