import { contentTypeOf, dimensionsOf, safeFilename } from "../../cdn/FileType.ts"
import { maxAttachmentBytes } from "../../model/Constants.ts"
import { apiErrors, DiscordError } from "../../model/DiscordError.ts"
import type { StoredAttachment } from "../../model/Records.ts"
import type { Store } from "../../state/Store.ts"
import type { Files } from "../../storage/Files.ts"
import type { MessageBody } from "../../validate/MessageBody.ts"

/** Where messages and their files are kept. */
export interface MessageContext {
  readonly store: Store
  readonly files: Files
}

/** A file of a request; `field` is the number in `files[n]`. */
export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly data: Uint8Array
  readonly contentType: string | undefined
}

const maxAttachments = 10

/** Stores a file and returns its record. Throws 40005 when the file is larger than 10 MiB. */
export const storeUpload = (
  { files, store }: MessageContext,
  file: UploadedFile,
  description?: string
): StoredAttachment => {
  if (file.data.byteLength > maxAttachmentBytes) throw apiErrors.tooLarge()
  const id = store.ids.next()
  files.put(id, file.data)
  const filename = safeFilename(file.name)
  return {
    id,
    filename,
    ...(filename === file.name ? {} : { title: file.name.slice(0, 1024) }),
    ...(description === undefined ? {} : { description }),
    contentType: contentTypeOf(filename, file.contentType),
    size: file.data.byteLength,
    ...dimensionsOf(file.data)
  }
}

/**
 * The attachments of a message after a send or an edit: the kept files, then the new ones. Throws 40005 for a file above
 * 10 MiB and 30015 for more than 10 files.
 */
export const updateAttachments = (
  context: MessageContext,
  body: MessageBody,
  uploads: ReadonlyArray<UploadedFile>,
  stored: ReadonlyArray<StoredAttachment>
): ReadonlyArray<StoredAttachment> => {
  if (uploads.some((file) => file.data.byteLength > maxAttachmentBytes)) throw apiErrors.tooLarge()
  const kept =
    body.attachments === undefined
      ? stored
      : stored.filter((file) => body.attachments?.some((entry) => entry.id === file.id) || isEmbedded(body, file))
  const added = uploads.map((file) => {
    const entry = body.attachments?.find((candidate) => candidate.id === file.field)
    return storeUpload(context, { ...file, name: entry?.filename ?? file.name }, entry?.description)
  })
  if (kept.length + added.length > maxAttachments)
    throw new DiscordError(400, 30015, "Maximum number of attachments in a message reached (10)")
  return [...kept, ...added]
}

/** Throws 50035 when a component refers to a file that the message does not have. */
export const requireReferencedFiles = (
  components: ReadonlyArray<unknown>,
  files: ReadonlyArray<StoredAttachment>
): void => {
  const referencedNames = [...JSON.stringify(components).matchAll(/"url":"attachment:\/\/([^"]*)"/g)].map(
    ([, name]) => name
  )
  const missing = referencedNames.find((name) => !files.some((file) => file.filename === name))
  if (missing === undefined) return
  const error = {
    code: "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
    message: `The referenced attachment "${missing}" was not found`
  }
  throw new DiscordError(400, 50_035, "Invalid Form Body", { components: { _errors: [error] } })
}

const isEmbedded = (body: MessageBody, file: StoredAttachment): boolean =>
  body.embeds !== undefined && JSON.stringify(body.embeds).includes(`/${file.id}/`)
