import type { ContentBlock } from "@agentclientprotocol/sdk"
import { nameOf, type Attachment } from "../session/Attachment.ts"
import { splitText } from "./PastedData.ts"

/** A prompt, separated into request and data. */
export interface ParsedPrompt {
  /** The text of the prompt without the data. */
  readonly request: string
  readonly attachments: ReadonlyArray<Attachment>
  /** Files that the prompt links to without containing them. */
  readonly links: ReadonlyArray<{ readonly uri: string; readonly name: string }>
  /** Parts that cannot be read, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** Separates the request of a prompt from its data: resources, links, fenced blocks, text pasted below a question. */
export const parsePrompt = (blocks: ReadonlyArray<ContentBlock>): ParsedPrompt => {
  const attachments: Array<Attachment> = []
  const links: Array<{ uri: string; name: string }> = []
  const notes: Array<string> = []
  const texts: Array<string> = []
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        texts.push(block.text)
        break
      case "resource": {
        const { resource } = block
        const bytes = "text" in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, "base64")
        attachments.push({ name: nameOf(resource.uri), mimeType: resource.mimeType ?? undefined, bytes })
        break
      }
      case "resource_link":
        links.push({ uri: block.uri, name: block.name })
        break
      case "image":
        notes.push("I cannot look at pictures.")
        break
      case "audio":
        notes.push("I cannot listen to audio.")
        break
    }
  }
  const split = splitText(texts.join("\n\n"), attachments.length + links.length > 0)
  return { request: split.request, attachments: [...attachments, ...split.attachments], links, notes }
}
