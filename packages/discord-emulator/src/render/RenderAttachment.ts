import type { APIAttachment } from "discord-api-types/v10"
import type { StoredAttachment } from "../model/Records.ts"

/** A file of a message and its address. */
export interface LinkedFile {
  readonly file: StoredAttachment
  readonly url: string
}

/** The attachment object; `origin` starts its address. */
export const renderAttachment = (origin: string, channelId: string, attachment: StoredAttachment): APIAttachment => {
  const url = `${origin}/attachments/${channelId}/${attachment.id}/${encodeURIComponent(attachment.filename)}`
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.size,
    url,
    proxy_url: url,
    content_type: attachment.contentType,
    ...(attachment.title === undefined ? {} : { title: attachment.title }),
    ...(attachment.description === undefined ? {} : { description: attachment.description }),
    ...(attachment.width === undefined ? {} : { width: attachment.width }),
    ...(attachment.height === undefined ? {} : { height: attachment.height })
  }
}

/**
 * Makes the function that finds a file by `attachment://NAME` or by an earlier address; the newest file of a name wins.
 */
export const makeFileFinder = (
  origin: string,
  channelId: string,
  attachments: ReadonlyArray<StoredAttachment>
): ((url: string) => LinkedFile | undefined) => {
  const files = attachments.map((file) => ({ file, url: renderAttachment(origin, channelId, file).url })).toReversed()
  return (url) => {
    const name = url.startsWith("attachment://") ? url.slice("attachment://".length) : undefined
    // The origin of an earlier address may be out of date: only the path counts.
    return files.find(({ file, url: fileUrl }) =>
      name === undefined ? pathOf(fileUrl) === pathOf(url) : file.filename === name
    )
  }
}

const pathOf = (url: string): string => url.slice(Math.max(0, url.indexOf("/attachments/")))
