import { stringField } from "../../internal/Json.ts"
import * as AgentPrompt from "../attachments/AgentPrompt.ts"
import * as Attachment from "../attachments/Attachment.ts"

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

/** Says why the files of a prompt cannot be stored; undefined when they can. */
export const findProblem = (blocks: Blocks): string | undefined => {
  const unreadable = blocks.find(Attachment.isUnreadable)
  if (unreadable !== undefined) {
    return `A block of the type "${String(unreadable["type"])}" has no content that can be read. Nothing was sent to the agent.`
  }
  if (AgentPrompt.attachmentsOf(blocks).length <= maxFiles) return undefined
  return `A prompt carries at most ${maxFiles} files. Nothing was sent to the agent.`
}

/** The blocks as the history keeps them: attachments by name, type and size, without their bytes. */
export const forHistory = (blocks: Blocks): Blocks =>
  blocks.map((block) => {
    const attachment = Attachment.fromBlock(block)
    if (attachment === undefined) return block
    const { mimeType } = attachment
    const type = block["type"] === "resource" ? "file" : String(block["type"])
    const uri = attachment.uri ?? `attachment:///${type}`
    return {
      type: "resource_link",
      uri,
      name: Attachment.nameOf(uri),
      ...(mimeType === undefined ? {} : { mimeType }),
      size: Attachment.sizeOf(attachment)
    }
  })

const maxFiles = 100
