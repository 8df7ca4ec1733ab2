import { pathToFileURL } from "node:url"
import { field } from "../../internal/Json.ts"
import * as Attachment from "./Attachment.ts"
import { folderName, type StoredFile } from "./AttachmentFolder.ts"

type Block = Readonly<Record<string, unknown>>

/** The files of a prompt in their order. */
export const attachmentsOf = (blocks: ReadonlyArray<Block>): ReadonlyArray<Attachment.Attachment> =>
  blocks.map(Attachment.fromBlock).filter((attachment) => attachment !== undefined)

/**
 * The prompt as the agent gets it (contract decision 120). Each file is a link to where it is stored. Pictures, audio
 * and small texts are content too where the agent takes them, and a last text names all files. No block has a blob.
 */
export const make = (
  blocks: ReadonlyArray<Block>,
  files: ReadonlyArray<StoredFile>,
  initializeResponse: unknown
): ReadonlyArray<Block> => {
  if (files.length === 0) return blocks
  const capabilities = field(field(initializeResponse, "agentCapabilities"), "promptCapabilities")
  const takes = (name: string) => field(capabilities, name) === true
  const remaining = [...files]
  return [
    ...blocks.flatMap((block) => {
      const attachment = Attachment.fromBlock(block)
      const file = attachment === undefined ? undefined : remaining.shift()
      return attachment === undefined || file === undefined
        ? [block]
        : [toLink(attachment, file), ...toContent(attachment, file, takes)]
    }),
    toNote(files)
  ]
}

const toLink = ({ mimeType }: Attachment.Attachment, { name, path, size }: StoredFile): Block => ({
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

/** Names the files by paths that the agent's tools take; for the agent only. */
const toNote = (files: ReadonlyArray<StoredFile>): Block => ({
  type: "text",
  text: `[Attached files, stored in the working directory: ${files.map(({ name }) => `"${folderName}/${name}"`).join(", ")}]`,
  annotations: { audience: ["assistant"] }
})

/** A larger text is only linked: an agent's model reads its whole prompt again with every request. */
const maxTextBytes = 32 * 1024

/** A larger picture or sound is only linked: models refuse it, and then every later request with it. In bytes. */
const maxMediaBytes = 3_750_000

/** The pictures that models take; others are only linked. */
const pictures: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"])
