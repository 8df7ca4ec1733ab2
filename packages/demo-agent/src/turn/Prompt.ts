import type { ContentBlock } from "@agentclientprotocol/sdk"
import { nameOf, type Attachment } from "../session/Attachment.ts"
import { splitText } from "./PastedData.ts"

/** A prompt taken apart. */
export interface ReadPrompt {
  /** What the person asks, without the data. */
  readonly request: string
  readonly attachments: ReadonlyArray<Attachment>
  /** Addresses of files the prompt points to without carrying them. */
  readonly links: ReadonlyArray<{ readonly uri: string; readonly name: string }>
  /** Parts that cannot be read, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/**
 * Tells the request from the data in a prompt: resources, links, fenced blocks and text that is pasted below a
 * question.
 */
export const readPrompt = (blocks: ReadonlyArray<ContentBlock>): ReadPrompt => {
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
