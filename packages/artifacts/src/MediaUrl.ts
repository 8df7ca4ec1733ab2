import * as Either from "effect/Either"
import type { ArtifactEntry } from "./ArtifactEntry.ts"
import { NotDownloadable } from "./ArtifactsError.ts"

/** Where a file is fetched, and whether the task's token goes along. */
export interface MediaUrl {
  readonly url: string
  readonly withToken: boolean
}

/** Finds a media artifact's address (spec 4.14): the entry's url, else its `agent:///` uri below the sandbox. */
export const resolve = (
  { artifact: { uri }, url }: Pick<ArtifactEntry, "artifact" | "url">,
  sandboxUrl: string
): Either.Either<MediaUrl, NotDownloadable> => {
  const refuse = (description: string) => Either.left(new NotDownloadable({ uri, description }))
  if (url !== undefined) {
    if (!URL.canParse(url, `${sandboxUrl}/`)) return refuse("The file's address is not a URL")
    const target = new URL(url, `${sandboxUrl}/`)
    const sandbox = new URL(sandboxUrl)
    if (target.username !== "" || target.password !== "") return refuse("The file's address carries a password")
    if (target.origin === sandbox.origin) return Either.right({ url: target.href, withToken: true })
    if (target.protocol !== "https:") return refuse(`The file's address is ${target.protocol.slice(0, -1)}, not https`)
    return Either.right({ url: target.href, withToken: false })
  }
  if (uri.startsWith("file:")) return refuse("The file is on the machine of the agent and cannot be fetched")
  if (!uri.startsWith(prefix)) return refuse("The file has no address that can be fetched")
  const segments = uri.slice(prefix.length).split("/").map(decode)
  if (segments.some((segment) => segment === undefined || !isPlain(segment))) {
    return refuse("The file's address leads out of its session")
  }
  const path = segments.map((segment) => encodeURIComponent(segment ?? "")).join("/")
  return Either.right({ url: `${sandboxUrl}/${path}`, withToken: true })
}

const prefix = "agent:///"

const decode = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign: refused like every other address that can be read in two ways.
    return undefined
  }
}

// After one decoding nothing may be left that a server could take for a separator or a step.
const isPlain = (segment: string): boolean =>
  segment !== "" && segment !== "." && segment !== ".." && !/[/\\\p{Cc}]|%2e|%2f|%5c|%00/iu.test(segment)
