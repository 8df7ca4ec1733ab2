import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"

/** Sums up an answer: its sentences and the beginnings of its lists, without its tables. */
export const summarise = (messages: ReadonlyArray<string>): ReadonlyArray<string> =>
  messages
    .flatMap((message) => message.split("\n\n"))
    .flatMap((paragraph) => {
      const lines = paragraph.trim().split("\n")
      const isNote = /^_.*_$/.test(paragraph.trim())
      if (isNote || lines.some((line) => line.startsWith("|"))) return []
      const items = lines.filter((line) => ITEM.test(line))
      if (items.length === 0) return /[:：]$|^$/.test(paragraph.trim()) ? [] : [paragraph.trim()]
      return [[...lines.filter((line) => !ITEM.test(line)), shortList(items)].join("\n")]
    })

/** The first items of a list and how many more there are. */
export const shortList = (items: ReadonlyArray<string>, limit = 5): string =>
  [
    ...items.slice(0, limit),
    ...(items.length > limit
      ? [
          Language.text(
            `- _${Markdown.integer(items.length - limit)} more in the answer_`,
            `- _回答中另有 ${Markdown.integer(items.length - limit)} 条_`
          )
        ]
      : [])
  ].join("\n")

const ITEM = /^\s*- /
