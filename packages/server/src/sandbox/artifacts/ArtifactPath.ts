import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** The uri of a file of the artifacts folder: `agent:///artifacts/<path>`, each part of the path percent-encoded. */
export const toUri = (path: string): string => prefix + encode(path)

/** Percent-encodes a path for a URL. */
export const encode = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/** The path of a uri below the artifacts folder; undefined for other uris. */
export const fromUri = (uri: string): string | undefined =>
  uri.startsWith(prefix) ? decode(uri.slice(prefix.length)) : undefined

/** The path of a request target below a sandbox's `/artifacts/`; undefined for other targets. */
export const fromTarget = (target: string): string | undefined => {
  const [path = ""] = target.split(/[?#]/)
  const markerIndex = path.indexOf(artifactsSegment, path.indexOf("/sandboxes/"))
  return markerIndex < 0 ? undefined : decode(path.slice(markerIndex + artifactsSegment.length))
}

/** The path of an absolute path or a `file:` uri relative to one of these folders; undefined outside of them. */
export const relativeToFolder = (folders: ReadonlyArray<string>, pathOrUri: string): string | undefined => {
  const path = pathOrUri.startsWith("file:") ? fromFileUrl(pathOrUri) : pathOrUri
  if (path === undefined || !Path.isAbsolute(path)) return undefined
  return folders
    .map((folder) => Path.relative(folder, path))
    .find((relative) => relative !== "" && !relative.startsWith("..") && !Path.isAbsolute(relative))
    ?.split(Path.sep)
    .join("/")
}

/**
 * The canonical form of a uri below {@link prefix}; undefined when it leads out of there or has control characters.
 */
export const normalise = (uri: string): string | undefined => {
  if (!uri.startsWith(prefix)) return undefined
  try {
    const parts = uri.slice(prefix.length).split("/").map(decodeURIComponent)
    return parts.every(isSafeSegment) ? prefix + parts.map(encodeURIComponent).join("/") : undefined
  } catch {
    // Invalid percent-encoding.
    return undefined
  }
}

/** Tells whether a name is a valid part of a path: not hidden, without separators and control characters. */
export const isPlainName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  name !== "" && !name.startsWith(".") && !/[/\\\u0000-\u001f\u007f]/.test(name)

/** The prefix of every artifact's uri in this service (contract 2.9). */
export const prefix = "agent:///artifacts/"

// oxlint-disable-next-line no-control-regex
const controlCharacters = /[\u0000-\u001f\u007f]/

const isSafeSegment = (part: string): boolean =>
  part !== "" && !controlCharacters.test(part) && !part.split(/[/\\]/).some((step) => step === "." || step === "..")

const fromFileUrl = (url: string): string | undefined => {
  try {
    return fileURLToPath(url)
  } catch {
    // Another machine, or an invalid URL.
    return undefined
  }
}

const artifactsSegment = "/artifacts/"

/** Decodes each part once; undefined unless all are plain names. */
const decode = (encoded: string): string | undefined => {
  try {
    const parts = encoded.split("/").map(decodeURIComponent)
    return parts.every(isPlainName) ? parts.join("/") : undefined
  } catch {
    // Invalid percent-encoding.
    return undefined
  }
}
