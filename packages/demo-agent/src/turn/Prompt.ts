import * as Language from "../format/Language.ts"
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

/** The words of the person in a prompt, before it is read; what stands in fenced blocks is data. */
export const requestOf = (blocks: ReadonlyArray<ContentBlock>): string => {
  const hasFiles = blocks.some(({ type }) => type === "resource" || type === "resource_link")
  const text = textOf(blocks)
  return splitText(text.slice(speakerOf(text).length), hasFiles).request
}

const textOf = (blocks: ReadonlyArray<ContentBlock>): string =>
  blocks.flatMap((block) => (block.type === "text" && !isForAgentOnly(block) ? [block.text] : [])).join("\n\n")

const speakerOf = (text: string): string => SPEAKER.exec(text)?.[0] ?? ""

/** Separates the request of a prompt from its data: resources, links, fenced blocks, text pasted below a question. */
export const parsePrompt = (blocks: ReadonlyArray<ContentBlock>): ParsedPrompt => {
  const embedded: Array<Attachment & { readonly uri: string }> = []
  const links: Array<FileLink> = []
  const notes: Array<string> = []
  for (const block of blocks) {
    switch (block.type) {
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
        notes.push(Language.text("I cannot look at pictures.", "我看不了图片。"))
        break
      case "audio":
        notes.push(Language.text("I cannot listen to audio.", "我听不了音频。"))
        break
    }
  }
  // A linked file may be embedded, too.
  const attachments = embedded.filter(({ uri }) => !links.some((link) => link.uri === uri))
  const text = textOf(blocks)
  const speaker = speakerOf(text)
  const split = splitText(text.slice(speaker.length), attachments.length + links.length > 0)
  return { request: split.request, speaker, attachments: [...attachments, ...split.attachments], links, notes }
}

const SPEAKER = /^\[[^[\]\n]{1,100}, Discord user \d{1,20}\](?:\n|$)/

/** What a client tells the agent, such as where files are: no words of the person. */
const isForAgentOnly = ({ annotations }: Extract<ContentBlock, { type: "text" }>): boolean =>
  annotations?.audience?.length === 1 && annotations.audience[0] === "assistant"
