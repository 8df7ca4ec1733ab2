import { field, isRecord, stringField } from "../../internal/Json.ts"

/** A prompt's content, one block after the other, as the wire has it. */
export type Blocks = ReadonlyArray<Readonly<Record<string, unknown>>>

/** Reads the prompt of a request, undefined when it is not a list of content blocks. */
export const parse = (prompt: unknown): Blocks | undefined => {
  if (!Array.isArray(prompt) || prompt.length === 0) return undefined
  const blocks = prompt.filter((block) => stringField(block, "type") !== undefined)
  return blocks.length === prompt.length ? blocks : undefined
}

/** A prompt that is one text. */
export const fromText = (text: string): Blocks => [{ type: "text", text }]

/** Names the first kind of block that an agent with these `promptCapabilities` does not take. */
export const findUnsupported = (blocks: Blocks, capabilities: unknown): string | undefined =>
  blocks
    .map(({ type }) => String(type))
    .find((type) => Object.hasOwn(capabilityOf, type) && field(capabilities, capabilityOf[type] ?? "") !== true)

/** The blocks as the history keeps them: attachments by name, type and size, without their bytes. */
export const forHistory = (blocks: Blocks): Blocks =>
  blocks.map((block) => {
    switch (block["type"]) {
      case "image":
      case "audio": {
        const uri = stringField(block, "uri")
        return link(
          uri ?? `attachment:///${String(block["type"])}`,
          stringField(block, "mimeType"),
          base64Size(block["data"])
        )
      }
      case "resource": {
        const resource = isRecord(block["resource"]) ? block["resource"] : {}
        const inline = stringField(resource, "text")
        const size = inline === undefined ? base64Size(resource["blob"]) : Buffer.byteLength(inline)
        return link(stringField(resource, "uri") ?? "attachment:///file", stringField(resource, "mimeType"), size)
      }
      default:
        return block
    }
  })

const capabilityOf: Readonly<Record<string, string>> = {
  image: "image",
  audio: "audio",
  resource: "embeddedContext"
}

const link = (uri: string, mimeType: string | undefined, size: number) => ({
  type: "resource_link",
  uri,
  name: nameOf(uri),
  ...(mimeType === undefined ? {} : { mimeType }),
  size
})

const nameOf = (uri: string): string => {
  const segment = uri.split(/[/\\]/).findLast((part) => part !== "") ?? uri
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign: the name as it stands.
    return segment
  }
}

const base64Size = (data: unknown): number => {
  if (typeof data !== "string") return 0
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0
  return Math.floor((data.length * 3) / 4) - padding
}
