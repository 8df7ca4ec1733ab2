import type { Messages } from "../messages/Messages.ts"
import type * as Post from "../model/Post.ts"

/** The most options that one select shows. */
export const pageSize = 25

/** The options of a page, counted from 0, each with its index in the whole list. */
export const onPage = <A>(items: ReadonlyArray<A>, page: number): ReadonlyArray<readonly [number, A]> =>
  items.map((item, index) => [index, item] as const).slice(page * pageSize, (page + 1) * pageSize)

/** What a select says while nothing is chosen, with its page where there are several. */
export const placeholder = (words: string, page: number, count: number, messages: Messages): string =>
  count <= pageSize ? words : `${words} (${messages.asked.pageOf(page + 1, Math.ceil(count / pageSize))})`

/** Buttons to the page before and the next one. */
export const pager = (
  count: number,
  page: number,
  customId: (page: number) => string,
  messages: Messages
): Post.Post["buttons"] => {
  if (count <= pageSize) return []
  const last = Math.ceil(count / pageSize) - 1
  return [
    [
      ...(page > 0
        ? [{ label: messages.asked.pageBack, style: "secondary", customId: customId(page - 1) } as const]
        : []),
      ...(page < last
        ? [{ label: messages.asked.pageOn, style: "secondary", customId: customId(page + 1) } as const]
        : [])
    ]
  ]
}
