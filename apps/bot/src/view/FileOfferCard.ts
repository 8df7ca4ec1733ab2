import type { Messages } from "../messages/Messages.ts"
import { type FileOffer, type OfferedFile, openPaths } from "../model/FileOffer.ts"
import * as Post from "../model/Post.ts"
import { plain } from "../text/Escape.ts"
import { formatBytes } from "../text/Format.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { colors } from "./Colors.ts"

/** The key of the card in its turn. */
export const key = "offer"

/** The card of the files that a turn created or changed, with what became of each. */
export const post = (offer: FileOffer, turnId: string, { fileOffers }: Messages): Post.Post => ({
  ...Post.embed(key, {
    title: fileOffers.title,
    description: truncate(
      [
        offer.always ? fileOffers.alwaysPosted : fileOffers.about,
        ...(offer.more > 0 ? [fileOffers.more(offer.more)] : []),
        ...(offer.partial === true ? [fileOffers.partial] : []),
        ...offer.files.map((file) => line(file, fileOffers))
      ].join("\n"),
      4000
    ),
    color: colors.media
  }),
  rows: rows(offer, turnId, fileOffers)
})

const line = ({ change, path, result, size }: OfferedFile, texts: Messages["fileOffers"]): string => {
  const facts = result === undefined ? `${formatBytes(size)} · ${texts.change[change]}` : texts.result[result]
  return `- ${plain(shortPath(path))} · ${facts}`
}

const rows = (offer: FileOffer, turnId: string, texts: Messages["fileOffers"]): Post.Post["rows"] => {
  const open = new Set(openPaths(offer))
  const options = offer.files.flatMap(({ path, size }, index) =>
    open.has(path)
      ? [{ value: String(index), label: shortPath(path), description: formatBytes(size), isDefault: false }]
      : []
  )
  const id = (action: string) => `o1:${turnId}:${action}`
  return [
    ...(options.length === 0
      ? []
      : [[{ customId: id("get"), placeholder: texts.choose, minValues: 1, maxValues: options.length, options }]]),
    [
      ...(options.length > 1 ? [{ label: texts.getAll, style: "primary" as const, customId: id("all") }] : []),
      offer.always
        ? { label: texts.never, style: "secondary" as const, customId: id("never") }
        : { label: texts.always, style: "secondary" as const, customId: id("always") }
    ]
  ]
}

/** The end of a long path, which has the name. */
const shortPath = (path: string): string => {
  const shown = oneLine(path, 4096) || "…"
  return shown.length <= maxLabel ? shown : `…${shown.slice(1 - maxLabel)}`
}

/** Discord's limit of an option's label. */
const maxLabel = 100
