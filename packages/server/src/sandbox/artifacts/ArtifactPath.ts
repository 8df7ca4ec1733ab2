import * as Path from "node:path"
import { fileURLToPath } from "node:url"

/** The uri of a file of the artifacts folder: `agent:///artifacts/<path>`, each part of the path percent-encoded. */
export const toUri = (path: string): string => prefix + encode(path)

/** A path as it stands in an address. */
export const encode = (path: string): string => path.split("/").map(encodeURIComponent).join("/")

/** The path that a uri names below the artifacts folder, undefined when it names none. */
export const fromUri = (uri: string): string | undefined =>
  uri.startsWith(prefix) ? decode(uri.slice(prefix.length)) : undefined

/** The path that the target of a request names below a sandbox's `/artifacts/`, undefined when it names none. */
export const fromTarget = (target: string): string | undefined => {
  const [path = ""] = target.split(/[?#]/)
  const at = path.indexOf(marker, path.indexOf("/sandboxes/"))
  return at < 0 ? undefined : decode(path.slice(at + marker.length))
}

/** The path below one of these folders that an absolute path or a `file:` uri names, undefined when it names none. */
export const below = (folders: ReadonlyArray<string>, named: string): string | undefined => {
  const path = named.startsWith("file:") ? fromFileUrl(named) : named
  if (path === undefined || !Path.isAbsolute(path)) return undefined
  return folders
    .map((folder) => Path.relative(folder, path))
    .find((relative) => relative !== "" && !relative.startsWith("..") && !Path.isAbsolute(relative))
    ?.split(Path.sep)
    .join("/")
}

/**
 * The one way to write a uri below {@link prefix}; undefined when it leads out of there or holds control characters.
 */
export const normal = (uri: string): string | undefined => {
  if (!uri.startsWith(prefix)) return undefined
  try {
    const parts = uri.slice(prefix.length).split("/").map(decodeURIComponent)
    return parts.every(isStep) ? prefix + parts.map(encodeURIComponent).join("/") : undefined
  } catch {
    // A stray percent sign, or half a character.
    return undefined
  }
}

/** Tells whether a name may be a part of such a path: not hidden, no separator, no control character. */
export const isPlainName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  name !== "" && !name.startsWith(".") && !/[/\\\u0000-\u001f\u007f]/.test(name)

/** How the uri of every artifact begins here (contract 2.9); what is the agent's alone has no place in the list. */
export const prefix = "agent:///artifacts/"

// oxlint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f]/

const isStep = (part: string): boolean =>
  part !== "" && !controls.test(part) && !part.split(/[/\\]/).some((step) => step === "." || step === "..")

const fromFileUrl = (url: string): string | undefined => {
  try {
    return fileURLToPath(url)
  } catch {
    // Of another machine, or no address at all.
    return undefined
  }
}

const marker = "/artifacts/"

/** Decodes each part once; undefined unless each is a plain name then. */
const decode = (encoded: string): string | undefined => {
  try {
    const parts = encoded.split("/").map(decodeURIComponent)
    return parts.every(isPlainName) ? parts.join("/") : undefined
  } catch {
    // A stray percent sign names nothing.
    return undefined
  }
}
