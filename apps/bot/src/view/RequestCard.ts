import type * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { plain } from "../text/Escape.ts"
import { oneLine, truncate, truncateLines } from "../text/Truncate.ts"
import { labelsOf } from "./AnswerLabels.ts"
import { colors } from "./Colors.ts"
import * as PermissionCard from "./PermissionCard.ts"
import * as QuestionCard from "./QuestionCard.ts"
import { titleOf } from "./RequestText.ts"

/**
 * The card of a permission request or question. An open one offers the answers. A closed one shows its outcome;
 * `closed` is the end of the turn.
 */
export const post = (
  request: AgentRequest,
  messages: Messages,
  closed: keyof Messages["requestCards"]["withdrawnText"] = "other"
): Post.Post => {
  const { outcome } = request
  const key = keyOf(request)
  const settled = (title: string, description: string, color: number) =>
    Post.box(key, {
      title: truncate(title, 256),
      description: truncateLines(description, 4000, messages.turnPosts.moreCharacters),
      color
    })
  const title = titleOf(request, messages)
  switch (outcome._tag) {
    case "Open":
      return isQuestion(request)
        ? QuestionCard.post(key, request, messages)
        : PermissionCard.post(key, request, messages)
    case "Answered":
      return settled(
        `${outcome.allowed ? "✅" : "❌"} ${messages.requestCards.titled(messages.requestCards.answered(outcome.allowed, isQuestion(request)), title)}`,
        [
          ...outcome.what.map(({ answer, question }) => said(request, question, answer, messages)),
          messages.requestCards.by(outcome.by, outcome.at)
        ].join(outcome.what.length === 1 && outcome.what[0]?.question === undefined ? " — " : "\n"),
        outcome.allowed ? colors.good : colors.bad
      )
    case "Expired":
      return settled(
        `⌛ ${messages.requestCards.titled(messages.requestCards.expired, title)}`,
        messages.requestCards.expiredText,
        colors.past
      )
    case "Unshown":
      return settled(
        `⌛ ${messages.requestCards.titled(messages.requestCards.unshown, title)}`,
        messages.requestCards.unshownText,
        colors.past
      )
    case "Withdrawn":
      return settled(
        `⌛ ${messages.requestCards.titled(messages.requestCards.withdrawn, title)}`,
        messages.requestCards.withdrawnText[closed],
        colors.past
      )
  }
}

/** The key of a request's post. */
export const keyOf = ({ id }: Pick<AgentRequest, "id">): string => `${keys}${id}`

/** The request of a post with this key; undefined for another post. */
export const requestOf = (key: string): string | undefined =>
  key.startsWith(keys) ? key.slice(keys.length) : undefined

const keys = "asked:"

/** Whether a request is answered by questions. A permission without an allowing option only has options. */
export const isQuestion = ({
  form,
  options,
  questions
}: Pick<AgentRequest, "form" | "options" | "questions">): boolean =>
  form !== "permission" || (questions.length > 0 && options.some(({ kind }) => !kind.startsWith("reject")))

const said = (
  { options }: AgentRequest,
  question: Question.Question | undefined,
  answer: Question.Value,
  messages: Messages
): string => {
  if (question !== undefined) {
    const asked = oneLine(question.question, 200) || messages.requestCards.question
    return `**${plain(asked)}**\n> ${plain(oneLine(labelsOf(question, answer, messages), 800)) || "…"}`
  }
  const number = options.findIndex(({ name }) => name === answer) + 1
  return (
    plain(oneLine(messages.requestCards.optionName(String(answer)), 100)) ||
    messages.requestCards.option(Math.max(1, number))
  )
}
