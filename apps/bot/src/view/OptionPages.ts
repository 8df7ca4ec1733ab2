import type { Messages } from "../messages/Messages.ts"
import type * as Post from "../model/Post.ts"

/** Discord's limit of options per select. */
export const pageSize = 25

/** The options of a page, counted from 0, with their indices in the whole list. */
export const optionsOnPage = <A>(items: ReadonlyArray<A>, page: number): ReadonlyArray<readonly [number, A]> =>
  items.map((item, index) => [index, item] as const).slice(page * pageSize, (page + 1) * pageSize)

/** The placeholder of a select, with its page among several. */
export const placeholderText = (words: string, page: number, count: number, messages: Messages): string =>
  count <= pageSize ? words : `${words} (${messages.requestCards.pageOf(page + 1, Math.ceil(count / pageSize))})`

/** Buttons to the previous and the next page. */
export const pageButtons = (
  count: number,
  page: number,
  customId: (page: number) => string,
  messages: Messages
): Post.Post["rows"] => {
  if (count <= pageSize) return []
  const last = Math.ceil(count / pageSize) - 1
  return [
    [
      ...(page > 0
        ? [{ label: messages.requestCards.previousOptions, style: "secondary", customId: customId(page - 1) } as const]
        : []),
      ...(page < last
        ? [{ label: messages.requestCards.moreOptions, style: "secondary", customId: customId(page + 1) } as const]
        : [])
    ]
  ]
}
