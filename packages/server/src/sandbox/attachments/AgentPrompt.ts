import { pathToFileURL } from "node:url"
import { field, stringField } from "../../internal/Json.ts"
import * as Attachment from "./Attachment.ts"
import { folderName, type StoredFile } from "./AttachmentFolder.ts"

type Block = Readonly<Record<string, unknown>>

/** The files of a prompt in their order. */
export const attachmentsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Attachment.Attachment> =>
  blocks.map(Attachment.fromBlock).filter((attachment) => attachment !== undefined)

/**
 * The prompt as the agent gets it (contract decision 120). Each file is a link to where it is stored. Pictures, audio
 * and small texts are content too where the agent takes them, and a text names all files. Agents that read links get
 * small files only. The first prompt also says where files for people go. No block has a blob.
 */
export const make = (
  blocks: ReadonlyArray<Block>,
  files: ReadonlyArray<StoredFile>,
  { initializeResponse, isFirst }: { readonly initializeResponse: unknown; readonly isFirst: boolean }
): ReadonlyArray<Block> => {
  const capabilities = field(field(initializeResponse, "agentCapabilities"), "promptCapabilities")
  const takes = (name: string) => field(capabilities, name) === true
  const name = stringField(field(initializeResponse, "agentInfo"), "name") ?? ""
  const remaining = [...files]
  return [
    ...blocks.flatMap((block) => {
      const attachment = Attachment.fromBlock(block)
      const file = attachment === undefined ? undefined : remaining.shift()
      return attachment === undefined || file === undefined ? [block] : toBlocks(attachment, file, name, takes)
    }),
    ...(files.length === 0 ? [] : [toNote(`Attached files, stored in the working directory: ${listOf(files)}`)]),
    ...(isFirst ? [toNote(whereFilesGo)] : [])
  ]
}

const toBlocks = (
  attachment: Attachment.Attachment,
  file: StoredFile,
  agent: string,
  takes: (capability: string) => boolean
): ReadonlyArray<Block> => {
  const { mimeType = "" } = attachment
  const content = toContent(attachment, file, takes)
  if (!agentsThatReadLinks.has(agent)) return [toLink(file, attachment.mimeType), ...content]
  const isSmall = file.size <= (/^image\//i.test(mimeType) ? maxMediaBytes : maxTextBytes)
  if (content.length === 0 && !(isSmall && readable.test(mimeType))) return []
  if (agent === geminiCli) return [toLink(file, attachment.mimeType), ...content]
  if (content.length > 0) return content
  return [toLink(file, readableByType.test(mimeType) ? mimeType : undefined)]
}

const toLink = ({ name, path, size }: StoredFile, mimeType: string | undefined): Block => ({
  type: "resource_link",
  uri: pathToFileURL(path).href,
  name,
  ...(mimeType === undefined ? {} : { mimeType }),
  size
})

/** The file itself, for an agent that takes it in a prompt. */
const toContent = (
  attachment: Attachment.Attachment,
  { path, size }: StoredFile,
  takes: (capability: string) => boolean
): ReadonlyArray<Block> => {
  const { content } = attachment
  const mimeType = attachment.mimeType?.split(";")[0]?.trim().toLowerCase()
  const typeField = attachment.mimeType === undefined ? {} : { mimeType: attachment.mimeType }
  if (content._tag === "Text") {
    if (size > maxTextBytes || !takes("embeddedContext")) return []
    return [{ type: "resource", resource: { uri: pathToFileURL(path).href, ...typeField, text: content.text } }]
  }
  const kind = mimeType?.startsWith("audio/") === true ? "audio" : pictures.has(mimeType ?? "") ? "image" : undefined
  if (kind === undefined || size > maxMediaBytes || !takes(kind)) return []
  return [{ type: kind, mimeType, data: Attachment.bytesOf(attachment).toString("base64") }]
}

/** The paths that the agent's tools take. */
const listOf = (files: ReadonlyArray<StoredFile>): string =>
  files.map(({ name }) => `"${folderName}/${name}"`).join(", ")

/** A text for the agent only, on a line of its own: some agents glue a text to the link before it. */
const toNote = (text: string): Block => ({
  type: "text",
  text: `\n[${text}]`,
  annotations: { audience: ["assistant"] }
})

const whereFilesGo =
  'Write the files that the person should get into the folder "artifacts" of the working directory; they are shown to the person at once.'

/** Gemini CLI drops embedded pictures and sounds without a link to them where another file is linked. */
const geminiCli = "gemini-cli"

/** Agents that put a linked file into each request to the model. OpenCode fails all later prompts, too, for a wrong type. */
const agentsThatReadLinks: ReadonlySet<string> = new Set(["OpenCode", geminiCli])

/** Types of text, and pictures that models take. */
const readable = /^(text\/|image\/(png|jpeg|gif|webp)|application\/([^;]*\+)?(json|xml|yaml|javascript))/i

/** The types among them that model libraries take; other text is read when the link has no type. */
const readableByType = /^(text|image)\//i

/** A larger text is only linked: an agent's model reads its whole prompt again with every request. */
const maxTextBytes = 32 * 1024

/** A larger picture or sound is only linked: models refuse it, and then every later request with it. In bytes. */
const maxMediaBytes = 3_750_000

/** The pictures that models take; others are only linked. */
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
