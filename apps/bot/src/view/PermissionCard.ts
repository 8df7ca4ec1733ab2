import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { revealHidden } from "../text/Sanitize.ts"
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
    description: cardText(request, revealHidden(request.detail), messages),
    color: colors.waiting,
    footer: messages.requestCards.whoMayAnswer
  }),
  rows:
    request.options.length > 20
      ? optionSelectRows(request, messages)
      : toButtonRows(
          request.options.map((option, index) => ({
            label:
              oneLine(messages.requestCards.optionName(option.name), 80) || messages.requestCards.option(index + 1),
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
      options: optionsOnPage(options, page).map(([index, { name }]) => ({
        value: String(index),
        label: oneLine(messages.requestCards.optionName(name), 100) || messages.requestCards.option(index + 1),
        isDefault: false
      }))
    }
  ],
  ...pageButtons(options.length, page, (to) => `q1:${id}:p:${to}`, messages)
]

const styleOf = (kind: string): Post.Button["style"] => {
  if (kind === "allow_once") return "success"
  if (kind.startsWith("reject")) return "danger"
  return "secondary"
}

const toButtonRows = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / 5) }, (_, row) => items.slice(row * 5, row * 5 + 5))
