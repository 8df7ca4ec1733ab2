import type { ContentBlock } from "@agentclientprotocol/sdk"
import { looksDelimited } from "./Csv.ts"

/** Data that came with a prompt. */
export interface Attachment {
  /** A name to show; "" for pasted text. */
  readonly name: string
  readonly mimeType?: string | undefined
  readonly bytes: Uint8Array
}

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

/** Tells the request from the data in a prompt: resources, links, fenced blocks and text that is pasted below a question. */
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

/** The last part of a URI or path as a file name. */
export const nameOf = (uri: string): string => {
  const path = uri
    .slice(-4096)
    .replace(/[?#].*$/s, "")
    .replace(/[\\/]+$/, "")
  const last = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  try {
    return decodeURIComponent(last)
  } catch {
    // A percent sign that is no escape is part of the name.
    return last
  }
}

/** A file name without anything that could leave its folder or confuse a shell. */
export const safeName = (name: string, fallback: string): string => {
  const clean = nameOf(name)
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._ -]+/gu, "_")
    .replace(/^[. -]+|[. ]+$/g, "")
    .slice(-80)
  return clean === "" ? fallback : clean
}

const FENCE = /(?:^|\n)([^\n]*)\n?^(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)(?:\n\2[`~]*[ \t]*(?=\n|$)|$(?![\s\S]))/gm
const FILE_NAME = /([\p{L}\p{N}_.()-]+\.(?:csv|tsv|tab|json|jsonl|ndjson|md|markdown|txt|log))\b/iu

const splitText = (text: string, hasData: boolean): { request: string; attachments: ReadonlyArray<Attachment> } => {
  const attachments: Array<Attachment> = []
  const clean = text.replace(/\r\n?/g, "\n")
  if (/^(?:`{3,}|~{3,})/m.test(clean)) {
    const request = clean.replace(FENCE, (_, before: string, __: string, info: string, body: string) => {
      const name = FILE_NAME.exec(info)?.[1] ?? FILE_NAME.exec(before)?.[1] ?? ""
      const language = info.trim().split(/\s/)[0]?.toLowerCase() ?? ""
      attachments.push({ name, mimeType: LANGUAGES.get(language), bytes: Buffer.from(body) })
      return `\n${name !== "" && before.trim().replace(/[:*`]/g, "").trim() === name ? "" : before}\n`
    })
    return { request: request.trim(), attachments }
  }
  if (hasData) return { request: clean.trim(), attachments }
  const pasted = pastedData(clean)
  return pasted === undefined
    ? { request: clean.trim(), attachments }
    : {
        request: pasted.request,
        attachments: [{ name: "", mimeType: pasted.mimeType, bytes: Buffer.from(pasted.data) }]
      }
}

const LANGUAGES = new Map([
  ["csv", "text/csv"],
  ["tsv", "text/tab-separated-values"],
  ["json", "application/json"],
  ["md", "text/markdown"],
  ["markdown", "text/markdown"]
])

/** A request is at most this long; a longer text without a recognisable table in it is itself the data. */
const REQUEST_LENGTH = 600

const pastedData = (text: string): { request: string; data: string; mimeType?: string } | undefined => {
  const start = text.search(/(?<=^|[\s:])[[{]/)
  const end = Math.max(text.lastIndexOf("]"), text.lastIndexOf("}")) + 1
  if (start >= 0 && start <= REQUEST_LENGTH && end > start && text.length - end <= 100) {
    const data = text.slice(start, end)
    if (isJson(data)) {
      const request = `${text.slice(0, start)} ${text.slice(end)}`.trim()
      return { request, data, mimeType: "application/json" }
    }
  }
  const lines = text.split("\n")
  for (let i = 0; i < Math.min(4, lines.length - 1); i++) {
    const rest = lines.slice(i).join("\n").trim()
    if (i > 0 && lines.slice(0, i).join("\n").length > REQUEST_LENGTH) break
    if (looksDelimited(rest)) return { request: lines.slice(0, i).join("\n").trim(), data: rest, mimeType: "text/csv" }
    if (/^[[{]/.test(rest) && /^[[{]\s*["[{\]}\d-]/.test(rest))
      return { request: lines.slice(0, i).join("\n").trim(), data: rest, mimeType: "application/json" }
  }
  if (text.length <= REQUEST_LENGTH && lines.filter((line) => line.trim() !== "").length < 6) return undefined
  const first = lines[0] ?? ""
  const asked = first.length <= 200 && /[?:]\s*$/.test(first) && lines.length > 1
  return asked ? { request: first.trim(), data: lines.slice(1).join("\n").trim() } : { request: "", data: text.trim() }
}

const isJson = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && Object.keys(value).length > 0
  } catch {
    // "Is this JSON?" is the question; "no" is an answer, not a failure.
    return false
  }
}
