import { type AssistantMessage, textOf } from "@heddle/core/domain/AssistantMessage"
import * as Option from "effect/Option"
import * as AssistantQuestion from "../model/AssistantQuestion.ts"
import type { MessageBody } from "../discord/MessageBody.ts"
import { lookup } from "../text/Lookup.ts"
import type { Messages } from "../messages/Messages.ts"
import { colors } from "./Colors.ts"
import { escapeMarkdown, plain } from "../text/Escape.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import * as Pages from "../text/Pages.ts"
import type { Embed } from "../model/Post.ts"

/** The thread messages of a reply of the local assistant. */
export const replyMessages = (message: AssistantMessage, { assistant }: Messages): ReadonlyArray<MessageBody> => {
  const text = textOf(message).trim()
  const files = message.attachments.length === 0 ? "" : `\n-# ${assistant.attachments(message.attachments.length)}`
  const words = text === "" && files === "" ? assistant.empty : text
  const pages = Pages.split(`${message.msgType === "error" ? "⚠️ " : ""}${words}${files}`)
  return pages.flatMap(({ content }) => (content === "" ? [] : [{ content }]))
}

/** The state of a question. `unconfirmed`: still open, and an answer to it may have arrived. */
export type QuestionStatus =
  | "answered"
  | "closing"
  | "closed"
  | "expired"
  | "open"
  | "refused"
  | "unconfirmed"
  | "unsupported"

/** A question of the local assistant with a select for each part, or the text that it cannot be answered here. */
export const question = (
  questionId: string,
  question: AssistantQuestion.AssistantQuestion,
  draft: AssistantQuestion.Draft,
  status: QuestionStatus,
  { assistant }: Messages
): MessageBody => {
  const isOpen = (status === "open" || status === "unconfirmed") && AssistantQuestion.isAnswerable(question)
  const lines = question.questions.map(({ header, id, options, question: text }) => {
    const chosen = (lookup(draft, id) ?? []).flatMap((at) => options[at]?.label ?? [])
    const title = header === undefined ? "" : `**${plain(oneLine(header, 100))}** · `
    const answer = chosen.length === 0 ? [] : [assistant.chosen(oneLine(chosen.join(", "), 300))]
    const offered =
      isOpen || chosen.length > 0 ? [] : options.slice(0, 25).map(({ label }) => `• ${plain(oneLine(label, 100))}`)
    return [`${title}${escapeMarkdown(truncate(text.trim(), 700))}`, ...answer, ...offered].join("\n")
  })
  const { answered, closed, onlyThere: refused, serviceRefuses: unsupported } = assistant
  // A complete draft was sent, and without an outcome nothing is known of it.
  const wasSent =
    AssistantQuestion.isAnswerable(question) && Option.isSome(AssistantQuestion.answersOf(question, draft))
  const expired = wasSent ? assistant.expiredPerhapsAnswered : assistant.expired
  const state = isOpen
    ? [
        status === "unconfirmed" ? assistant.answerUnconfirmed : assistant.chooseBelow,
        ...(question.expiresAt === undefined ? [] : [assistant.openUntil(question.expiresAt)])
      ].join(" ")
    : { answered, closed, closing: expired, expired, open: refused, refused, unconfirmed: refused, unsupported }[status]
  const text = question.text === undefined ? [] : [escapeMarkdown(truncate(question.text, 700))]
  return {
    content: "",
    embeds: [
      {
        title: assistant.asks,
        description: `${truncate([...text, ...lines].join("\n\n"), 3700)}\n\n-# ${state}`.trim(),
        color: isOpen ? colors.waiting : status === "answered" ? colors.good : colors.past
      }
    ],
    rows: isOpen
      ? question.questions.map(({ id, multiSelect, options, question: text }, index) => [
          {
            customId: `as2:${questionId}:${index}`,
            placeholder: truncate(oneLine(text, 150) || assistant.choose, 150),
            minValues: 1,
            maxValues: multiSelect ? options.length : 1,
            options: options.map((option, at) => ({
              value: String(at),
              label: truncate(oneLine(option.label, 100) || String(at + 1), 100),
              ...(option.description === undefined || option.description.trim() === ""
                ? {}
                : { description: truncate(oneLine(option.description, 100), 100) }),
              isDefault: (lookup(draft, id) ?? []).includes(at)
            }))
          }
        ])
      : []
  }
}

/** The questions of a message without other words. */
const questionsOf = (message: AssistantMessage): string =>
  Option.match(AssistantQuestion.fromMessage(message), {
    onNone: () => "",
    onSome: ({ questions }) => questions.map(({ question }) => question).join("\n")
  })

/** The number of messages on a page of the history. */
export const historyPageSize = 5

/** A page of the conversation, counted from 0, newest message first; a full page may have a successor. */
export const history = (
  messages: ReadonlyArray<AssistantMessage>,
  page: number,
  { assistant }: Messages
): MessageBody => {
  const lines = messages.map((message) => {
    const who = message.role === "user" ? assistant.you : assistant.name
    const at = message.createdAt === undefined ? Number.NaN : Date.parse(message.createdAt)
    const when = Number.isNaN(at) ? "" : ` · <t:${Math.floor(at / 1000)}:R>`
    const words =
      message.msgType === "permission_response" ? assistant.anAnswer : textOf(message) || questionsOf(message)
    return `**${who}**${when}\n${Pages.unsplit(truncate(words.trim(), 600)) || `*${assistant.empty}*`}`
  })
  const embed: Embed = {
    title: assistant.historyTitle,
    description: lines.length === 0 ? assistant.noHistory : truncate(lines.join("\n\n"), 4000),
    footer: assistant.page(page + 1)
  }
  const previous = { label: assistant.newer, style: "secondary", customId: `as1:${page - 1}` } as const
  const next = { label: assistant.older, style: "secondary", customId: `as1:${page + 1}` } as const
  const row = [...(page > 0 ? [previous] : []), ...(messages.length === historyPageSize ? [next] : [])]
  return { content: "", embeds: [embed], rows: row.length === 0 ? [] : [row] }
}
