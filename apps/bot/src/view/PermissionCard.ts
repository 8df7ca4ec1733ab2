import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { forDecision } from "../text/Escape.ts"
import { comparable } from "../text/Comparable.ts"
import { lookup } from "../text/Lookup.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { colors } from "./Colors.ts"
import { optionsOnPage, pageButtons, placeholderText } from "./OptionPages.ts"
import { cardText, titleOf } from "./RequestText.ts"

/** The card of an open permission request: the action, where all of it is, and a control for each option. */
export const post = (
  key: string,
  request: AgentRequest,
  note: ReadonlyArray<string>,
  messages: Messages
): Post.Post => ({
  ...Post.embed(key, {
    title: truncate(
      messages.requestCards.titleWithKind(messages.requestCards.permission, titleOf(request, messages)),
      256
    ),
    description: cardText(request, [forDecision(request.detail), ...note].join("\n\n"), messages),
    color: colors.waiting,
    footer: messages.requestCards.whoMayAnswer
  }),
  rows:
    request.options.length > 20
      ? optionSelectRows(request, messages)
      : toButtonRows(
          labels(request.options, messages).map((label, index) => ({
            label: truncate(label, 80),
            style: styleOf(request.options[index]?.kind ?? ""),
            customId: `p1:${request.id}:${index}`
          }))
        )
})

/** The label of the option with this name; undefined where none or several have it. */
export const labelOf = (name: string, options: Options, messages: Messages): string | undefined => {
  const all = labels(options, messages)
  const [label, ...others] = all.filter((_, index) => options[index]?.name === name)
  return others.length === 0 ? label : undefined
}

type Options = AgentRequest["options"]

const optionSelectRows = ({ id, options, optionPage: page }: AgentRequest, messages: Messages): Post.Post["rows"] => [
  [
    {
      customId: `q1:${id}:o`,
      placeholder: placeholderText(messages.requestCards.choose, page, options.length, messages),
      minValues: 1,
      maxValues: 1,
      options: optionsOnPage(labels(options, messages), page).map(([index, label]) => ({
        value: String(index),
        label: truncate(label, 100),
        isDefault: false
      }))
    }
  ],
  ...pageButtons(options.length, page, (to) => `q1:${id}:p:${to}`, messages)
]

/** The label of each option: what its kind does, and the agent's words where they say more than that. */
const labels = (options: Options, messages: Messages): ReadonlyArray<string> => {
  const plainKinds = options.filter(saysOnlyKind).map(({ kind }) => kind)
  return options.map((option, index) => {
    const { requestCards } = messages
    const words = oneLine(requestCards.optionName(option.name), 100) || requestCards.option(index + 1)
    const effect = lookup<string>(requestCards.optionKinds, option.kind)
    if (effect === undefined) return words
    // Two options that mean the same are told apart by the agent's words.
    if (saysOnlyKind(option) && plainKinds.indexOf(option.kind) === plainKinds.lastIndexOf(option.kind)) return effect
    return startsWith(words, effect) ? words : requestCards.titleWithKind(effect, words)
  })
}

const saysOnlyKind = ({ kind, name }: Options[number]): boolean =>
  lookup(wordsOfKinds, kind)?.has(comparable(name).replace(/[^\p{L}\p{N}]+/gu, "")) === true

const startsWith = (words: string, effect: string): boolean => {
  const start = comparable(effect)
  const line = comparable(words)
  const isInsideWord = /^\p{Script=Latin}{2}/u.test(line.slice(start.length - 1))
  return line.startsWith(start) && !isInsideWord
}

/** A verb and a time in either order, or one of both, without spaces. */
const phrases = (verbs: ReadonlyArray<string>, times: ReadonlyArray<string>) => [
  ...verbs,
  ...times,
  ...verbs.flatMap((verb) => times.flatMap((time) => [verb + time, time + verb]))
]

const allow = ["allow", "approve", "accept", "yes", "允许", "同意", "批准", "接受", "是"]
const reject = ["reject", "deny", "decline", "refuse", "no", "拒绝", "不允许", "不同意", "否"]
const once = ["once", "thistime", "一次", "仅一次", "本次", "这次", "仅此一次"]
const always = ["always", "始终", "总是", "一直", "永久"]

const wordsOfKinds: Readonly<Record<string, ReadonlySet<string>>> = {
  allow_once: new Set(phrases(allow, once)),
  allow_always: new Set(phrases(allow, always)),
  reject_once: new Set(phrases(reject, once)),
  reject_always: new Set([...phrases(reject, always), "never", "neverallow", "从不", "从不允许", "永不允许"])
}

const styleOf = (kind: string): Post.Button["style"] => {
  if (kind === "allow_once") return "success"
  if (kind.startsWith("reject")) return "danger"
  return "secondary"
}

const toButtonRows = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / 5) }, (_, row) => items.slice(row * 5, row * 5 + 5))
