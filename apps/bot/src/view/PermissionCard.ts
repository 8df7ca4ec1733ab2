import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { forDecision } from "../text/Escape.ts"
import { lookup } from "../text/Lookup.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { colors } from "./Colors.ts"
import { optionsOnPage, pageButtons, placeholderText } from "./OptionPages.ts"
import { cardText, titleOf } from "./RequestText.ts"

/** The card of an open permission request: the action, and a control for each option. */
export const post = (key: string, request: AgentRequest, messages: Messages): Post.Post => ({
  ...Post.embed(key, {
    title: truncate(
      messages.requestCards.titleWithKind(messages.requestCards.permission, titleOf(request, messages)),
      256
    ),
    description: cardText(request, forDecision(request.detail), messages),
    color: colors.waiting,
    footer: messages.requestCards.whoMayAnswer
  }),
  rows:
    request.options.length > 20
      ? optionSelectRows(request, messages)
      : toButtonRows(
          request.options.map((option, index) => ({
            label: truncate(labelOf(option, index, messages), 80),
            style: styleOf(option.kind),
            customId: `p1:${request.id}:${index}`
          }))
        )
})

const optionSelectRows = ({ id, options, optionPage: page }: AgentRequest, messages: Messages): Post.Post["rows"] => [
  [
    {
      customId: `q1:${id}:o`,
      placeholder: placeholderText(messages.requestCards.choose, page, options.length, messages),
      minValues: 1,
      maxValues: 1,
      options: optionsOnPage(options, page).map(([index, option]) => ({
        value: String(index),
        label: truncate(labelOf(option, index, messages), 100),
        isDefault: false
      }))
    }
  ],
  ...pageButtons(options.length, page, (to) => `q1:${id}:p:${to}`, messages)
]

/** What an option does by its kind, then the agent's words for it, unless they say no more than that. */
const labelOf = (
  { kind, name }: AgentRequest["options"][number],
  index: number,
  { requestCards }: Messages
): string => {
  const words = oneLine(requestCards.optionName(name), 100) || requestCards.option(index + 1)
  const effect = lookup<string>(requestCards.optionKinds, kind)
  const isSaid = lookup(wordsForKinds, kind)?.includes(name.toLowerCase()) === true
  return effect === undefined || isSaid ? words : requestCards.titleWithKind(effect, words)
}

/** The words of agents that say exactly what a kind does. */
const wordsForKinds: Readonly<Record<string, ReadonlyArray<string>>> = {
  allow_once: ["allow", "allow once", "yes"],
  allow_always: ["allow always", "always allow", "always allow in this session"],
  reject_once: ["reject", "reject once", "deny", "decline", "no"],
  reject_always: ["reject always", "always reject", "always deny"]
}

const styleOf = (kind: string): Post.Button["style"] => {
  if (kind === "allow_once") return "success"
  if (kind.startsWith("reject")) return "danger"
  return "secondary"
}

const toButtonRows = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / 5) }, (_, row) => items.slice(row * 5, row * 5 + 5))
