import type { ContentBlock } from "@agentclientprotocol/sdk"
import { nameOf, type Attachment } from "../session/Attachment.ts"
import { splitText } from "./PastedData.ts"

/** A prompt, separated into request and data. */
export interface ParsedPrompt {
  /** The text of the prompt without the data and its speaker. */
  readonly request: string
  /** The line that names the speaker in a shared task; "" without one. */
  readonly speaker: string
  readonly attachments: ReadonlyArray<Attachment>
  /** Files that the prompt links to without containing them. */
  readonly links: ReadonlyArray<FileLink>
  /** Parts that cannot be read, one sentence each. */
  readonly notes: ReadonlyArray<string>
}

/** A file that a prompt links to. */
export interface FileLink {
  readonly uri: string
  readonly mimeType: string | undefined
}

/** Separates the request of a prompt from its data: resources, links, fenced blocks, text pasted below a question. */
export const parsePrompt = (blocks: ReadonlyArray<ContentBlock>): ParsedPrompt => {
  const embedded: Array<Attachment & { readonly uri: string }> = []
  const links: Array<FileLink> = []
  const notes: Array<string> = []
  const texts: Array<string> = []
  for (const block of blocks) {
    switch (block.type) {
      case "text":
        if (!isForAgentOnly(block)) texts.push(block.text)
        break
      case "resource": {
        const { resource } = block
        const bytes = "text" in resource ? Buffer.from(resource.text) : Buffer.from(resource.blob, "base64")
        embedded.push({
          uri: resource.uri,
          name: nameOf(resource.uri),
          mimeType: resource.mimeType ?? undefined,
          bytes
        })
        break
      }
      case "resource_link":
        links.push({ uri: block.uri, mimeType: block.mimeType ?? undefined })
        break
      case "image":
        notes.push("I cannot look at pictures.")
        break
      case "audio":
        notes.push("I cannot listen to audio.")
        break
    }
  }
  // A linked file may be embedded, too.
  const attachments = embedded.filter(({ uri }) => !links.some((link) => link.uri === uri))
  const text = texts.join("\n\n")
  const speaker = SPEAKER.exec(text)?.[0] ?? ""
  const split = splitText(text.slice(speaker.length), attachments.length + links.length > 0)
  return { request: split.request, speaker, attachments: [...attachments, ...split.attachments], links, notes }
}

const SPEAKER = /^\[[^[\]\n]{1,100}, Discord user \d{1,20}\](?:\n|$)/

/** What a client tells the agent, such as where files are: no words of the person. */
const isForAgentOnly = ({ annotations }: Extract<ContentBlock, { type: "text" }>): boolean =>
  annotations?.audience?.length === 1 && annotations.audience[0] === "assistant"
