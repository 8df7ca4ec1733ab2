import type { Messages } from "../messages/Messages.ts"
import type { Post } from "../model/Post.ts"

/** A page of a list, counted from 1, and the total number of entries. */
export interface At {
  readonly page: number
  readonly size: number
  readonly total: number
}

/** The number of pages, at least one. */
export const pages = ({ size, total }: Pick<At, "size" | "total">): number => Math.max(1, Math.ceil(total / size))

/** The nearest existing page: lists grow and shrink between two presses. */
export const within = (page: number, list: Pick<At, "size" | "total">): number =>
  Math.min(Math.max(1, page), pages(list))

/**
 * Buttons to the previous and the next page; none for a single page. The id contains the page, so buttons work after a
 * restart.
 */
export const buttons = (at: At, customId: (page: number) => string, messages: Messages): Post["buttons"] => {
  const back = { label: messages.pager.back, style: "secondary", customId: customId(at.page - 1) } as const
  const on = { label: messages.pager.on, style: "secondary", customId: customId(at.page + 1) } as const
  const row = [...(at.page > 1 ? [back] : []), ...(at.page < pages(at) ? [on] : [])]
  return row.length === 0 ? [] : [row]
}

/** The page indicator, among several pages. */
export const footer = (at: At, messages: Messages): { readonly footer?: string } =>
  pages(at) === 1 ? {} : { footer: messages.pager.footer(at.page, pages(at), at.total) }
