import { createHash } from "node:crypto"
import type * as Wire from "@heddle/acp/schema/generated/AcpSchema"
import type * as SessionState from "@heddle/acp/SessionState"
import type { AgentAttachment } from "../../model/Conversation.ts"

/** What a message has besides text, and how many characters of the text stand before each. */
export const ofMessage = (
  key: string,
  content: ReadonlyArray<Wire.ContentBlock>
): ReadonlyArray<{ readonly at: number; readonly attachment: AgentAttachment }> => {
  let at = 0
  let count = 0
  return content.flatMap((block) => {
    if (block.type === "text") at += block.text.length
    const found = read(block)
    return found === undefined ? [] : [{ at, attachment: { ...found, id: `${key}#${count++}` } }]
  })
}

/** What a tool call has besides text. What the agent read is not its own. */
export const ofToolCall = (key: string, { content, kind }: SessionState.ToolCall): ReadonlyArray<AgentAttachment> =>
  kind === "read"
    ? []
    : ofMessage(
        key,
        content.flatMap((part) => (part.type === "content" ? [part.content] : []))
      ).map(({ attachment }) => attachment)

type Anonymous = Omit<AgentAttachment, "id">

const read = (block: Wire.ContentBlock): Anonymous | undefined => {
  const known = cache.get(block)
  if (known !== undefined) return known
  const found = make(block)
  // The hash of a large file is not computed at every look.
  if (found !== undefined) cache.set(block, found)
  return found
}

const cache = new WeakMap<Wire.ContentBlock, Anonymous>()

const make = (block: Wire.ContentBlock): Anonymous | undefined => {
  switch (block.type) {
    case "image":
      return file(nameOf(block.uri, "image", block.mimeType), { base64: block.data })
    case "audio":
      return file(nameOf(undefined, "audio", block.mimeType), { base64: block.data })
    case "resource": {
      const { resource } = block
      const name = nameOf(resource.uri, "file", resource.mimeType ?? ("text" in resource ? "text/plain" : undefined))
      return file(name, "text" in resource ? { text: resource.text } : { base64: resource.blob })
    }
    case "resource_link":
      return {
        _tag: "AgentAttachment",
        name: block.title ?? block.name,
        content: { _tag: "Link", uri: block.uri }
      }
    default:
      return undefined
  }
}

const file = (name: string, data: { readonly base64: string } | { readonly text: string }): Anonymous => {
  const text = "text" in data ? data.text : data.base64
  const size = "text" in data ? Buffer.byteLength(text) : Buffer.byteLength(text, "base64")
  const version = createHash("sha256").update(text).digest("base64url").slice(0, 22)
  return { _tag: "AgentAttachment", name, content: { _tag: "File", size, version, data } }
}

/** The last part of an address, else a name for the type. */
const nameOf = (uri: string | null | undefined, word: string, mimeType: string | null | undefined): string => {
  // An address is as long as the agent likes, and the expression takes quadratic time.
  const address = uri?.startsWith("data:") === true ? "" : (uri?.slice(-maxAddress) ?? "")
  const last = /([^/\\?#]+)(?:[?#].*)?$/.exec(address)?.[1] ?? ""
  if (/\.\w+$/.test(last)) return unescaped(last)
  const subtype = /^\w+\/(?:x-)?(\w+)/.exec(mimeType ?? "")?.[1] ?? "bin"
  return `${last === "" ? word : unescaped(last)}.${extensions.get(subtype) ?? subtype}`
}

/** The characters of an address that can matter for a name. */
const maxAddress = 1024

const extensions: ReadonlyMap<string, string> = new Map([
  ["jpeg", "jpg"],
  ["markdown", "md"],
  ["mpeg", "mp3"],
  ["octet", "bin"],
  ["plain", "txt"]
])

const unescaped = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
