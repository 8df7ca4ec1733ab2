import type { Messages } from "../messages/Messages.ts"
import type { Post } from "../model/Post.ts"

/** A page of a list, counted from 1, and how many entries the whole list has. */
export interface At {
  readonly page: number
  readonly size: number
  readonly total: number
}

/** How many pages there are, at least one. */
export const pages = ({ size, total }: Pick<At, "size" | "total">): number => Math.max(1, Math.ceil(total / size))

/** The page that is shown when this one is asked for: lists grow and shrink between two presses. */
export const within = (page: number, list: Pick<At, "size" | "total">): number =>
  Math.min(Math.max(1, page), pages(list))

/** Back and forth; nothing on a list of one page. The page is in the id, so that it works after any restart. */
export const buttons = (at: At, customId: (page: number) => string, messages: Messages): Post["buttons"] => {
  const back = { label: messages.pager.back, style: "secondary", customId: customId(at.page - 1) } as const
  const on = { label: messages.pager.on, style: "secondary", customId: customId(at.page + 1) } as const
  const row = [...(at.page > 1 ? [back] : []), ...(at.page < pages(at) ? [on] : [])]
  return row.length === 0 ? [] : [row]
}

/** Which page this is, where there are several. */
export const footer = (at: At, messages: Messages): { readonly footer?: string } =>
  pages(at) === 1 ? {} : { footer: messages.pager.footer(at.page, pages(at), at.total) }
