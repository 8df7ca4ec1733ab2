import { contentTypeOf, dimensionsOf, safeFilename } from "../../cdn/FileType.ts"
import { DiscordError, refuse } from "../../model/DiscordError.ts"
import type { MessageBody } from "../../validate/MessageBody.ts"
import { attachmentLimit } from "../../model/Constants.ts"
import type { Files } from "../../storage/Files.ts"
import type { StoredAttachment } from "../../model/Records.ts"
import type { World } from "../../state/World.ts"

/** A file of a request; `field` is the number in `files[n]`. */
export interface UploadedFile {
  readonly field: string
  readonly name: string
  readonly data: Uint8Array
  readonly contentType: string | undefined
}

/** The rules of files. */
export interface Attachments {
  /** Stores a file for something that is not a message yet, such as a command option. */
  readonly upload: (file: UploadedFile, description?: string) => StoredAttachment
  /** What a message has after it was sent or edited: the kept files, then the new ones. */
  readonly attach: (
    body: MessageBody,
    uploads: ReadonlyArray<UploadedFile>,
    before: ReadonlyArray<StoredAttachment>
  ) => ReadonlyArray<StoredAttachment>
}

export const makeAttachments = (world: World, files: Files): Attachments => {
  const upload: Attachments["upload"] = (file, description) => {
    if (file.data.byteLength > attachmentLimit) throw refuse.tooLarge()
    const id = world.ids.next()
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

  const attach: Attachments["attach"] = (body, uploads, before) => {
    if (uploads.some((file) => file.data.byteLength > attachmentLimit)) throw refuse.tooLarge()
    const kept =
      body.attachments === undefined
        ? before
        : before.filter((old) => body.attachments?.some((entry) => entry.id === old.id) || isShown(body, old))
    const added = uploads.map((file) => {
      const entry = body.attachments?.find((one) => one.id === file.field)
      return upload({ ...file, name: entry?.filename ?? file.name }, entry?.description)
    })
    if (kept.length + added.length > 10)
      throw new DiscordError(400, 30015, "Maximum number of attachments in a message reached (10)")
    return [...kept, ...added]
  }
  return { attach, upload }
}

/** Refuses components that show a file which the message has not. */
export const demandAttached = (components: ReadonlyArray<unknown>, files: ReadonlyArray<StoredAttachment>): void => {
  const named = [...JSON.stringify(components).matchAll(/"url":"attachment:\/\/([^"]*)"/g)].map(([, name]) => name)
  const missing = named.find((name) => !files.some((file) => file.filename === name))
  if (missing === undefined) return
  const error = {
    code: "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND",
    message: `The referenced attachment "${missing}" was not found`
  }
  throw new DiscordError(400, 50_035, "Invalid Form Body", { components: { _errors: [error] } })
}

const isShown = (body: MessageBody, file: StoredAttachment): boolean =>
  body.embeds !== undefined && JSON.stringify(body.embeds).includes(`/${file.id}/`)
