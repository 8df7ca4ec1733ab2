import * as Either from "effect/Either"
import type { ArtifactEntry } from "./ArtifactEntry.ts"
import { NotDownloadable } from "./ArtifactsError.ts"

/** The address of a file, and whether it gets the task's token. */
export interface MediaUrl {
  readonly url: string
  readonly withToken: boolean
}

/**
 * Finds a media artifact's address (contract 4.14): the entry's url, else its `agent:///` uri below the sandbox.
 *
 * The token goes to the sandbox's own origin. Any other origin has to be https at a public name, written plainly.
 */
export const resolve = (
  { artifact: { uri }, url }: Pick<ArtifactEntry, "artifact" | "url">,
  sandboxUrl: string
): Either.Either<MediaUrl, NotDownloadable> => {
  const result = url === undefined ? resolveUri(uri, sandboxUrl) : resolveUrl(url, sandboxUrl)
  return typeof result === "string"
    ? Either.left(new NotDownloadable({ uri, description: result }))
    : Either.right(result)
}

/** Tells whether an artifact has an address below the sandbox. */
export const isBelowSandbox = (uri: string): boolean => uri.startsWith(agentPrefix)

/** Resolves an entry's url; returns the reason as a text where it is refused. */
const resolveUrl = (url: string, sandboxUrl: string): MediaUrl | string => {
  // Refuse an address that programs parse in different ways.
  if (/[\\\p{Cc}\p{Z}]/u.test(url) || !supportedUrl.test(url) || !URL.canParse(url, `${sandboxUrl}/`)) {
    return "The file's address is not a URL that can be relied on"
  }
  const target = new URL(url, `${sandboxUrl}/`)
  const { hostname, origin, protocol } = target
  target.hash = ""
  if (origin === new URL(sandboxUrl).origin) {
    const rawPath = (url.split(/[?#]/)[0] ?? "").replace(/^[a-z]+:\/\/[^/]*/i, "")
    return rawPath.split("/").some((segment) => segment !== "" && !isPlain(decode(segment)))
      ? leavesSession
      : { url: target.href, withToken: true }
  }
  if (protocol !== "https:") return `The file's address is ${protocol.slice(0, -1)}, not https`
  return isPublicName(hostname) ? { url: target.href, withToken: false } : "The file's address is not at a public name"
}

const resolveUri = (uri: string, sandboxUrl: string): MediaUrl | string => {
  if (uri.startsWith("file:")) return "The file is on the machine of the agent and cannot be fetched"
  if (!isBelowSandbox(uri)) return "The file has no address that can be fetched"
  const segments = uri.slice(agentPrefix.length).split("/").map(decode)
  if (!segments.every(isPlain)) return leavesSession
  return { url: `${sandboxUrl}/${segments.map(encodeURIComponent).join("/")}`, withToken: true }
}

const agentPrefix = "agent:///"

// An absolute address with a plain host and no password, a path from the root, or one from the sandbox.
const supportedUrl = /^(?:https?:\/\/(?:(?![/?#@%])[!-~])+(?:[/?#]|$)|\/(?!\/)|[^:/?#]+(?:[/?#]|$))/i

const leavesSession = "The file's address leads out of its session"

const decode = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign: refused, like every ambiguous address.
    return ""
  }
}

// After one decoding no separator, dot segment or control character may be left.
const isPlain = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !/[/\\\p{Cc}]|%2e|%2f|%5c|%00/iu.test(segment)

/** Tells whether a host is a public name: no address, no name of a local network, no look-alike letters. */
const isPublicName = (hostname: string): boolean =>
  /^(?:(?!xn--)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)+[a-z]{2,}\.?$/.test(hostname) &&
  !/\.(?:local|localhost|internal|lan|home|corp|arpa|onion)\.?$/.test(hostname)
