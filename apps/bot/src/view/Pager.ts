import type { Messages } from "../messages/Messages.ts"
import type { Post } from "../model/Post.ts"

/** A page of a list, counted from 1, and the total number of entries. */
export interface Position {
  readonly page: number
  readonly size: number
  readonly total: number
}

/** The number of pages, at least one. */
export const pageCount = ({ size, total }: Pick<Position, "size" | "total">): number =>
  Math.max(1, Math.ceil(total / size))

/** The nearest existing page: lists grow and shrink between two presses. */
export const nearestPage = (page: number, list: Pick<Position, "size" | "total">): number =>
  Math.min(Math.max(1, page), pageCount(list))

/**
 * Buttons to the previous and the next page; none for a single page. The id contains the page, so buttons work after a
 * restart.
 */
export const buttons = (position: Position, customId: (page: number) => string, messages: Messages): Post["rows"] => {
  const previous = {
    label: messages.pager.previous,
    style: "secondary",
    customId: customId(position.page - 1)
  } as const
  const next = { label: messages.pager.next, style: "secondary", customId: customId(position.page + 1) } as const
  const row = [...(position.page > 1 ? [previous] : []), ...(position.page < pageCount(position) ? [next] : [])]
  return row.length === 0 ? [] : [row]
}

/** The page indicator, among several pages. */
export const footer = (position: Position, messages: Messages): { readonly footer?: string } =>
  pageCount(position) === 1 ? {} : { footer: messages.pager.footer(position.page, pageCount(position), position.total) }
