import type * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { plain } from "../text/Escape.ts"
import { oneLine, truncate, truncateLines } from "../text/Truncate.ts"
import { answerText } from "./QuestionAnswer.ts"
import { colors } from "./Colors.ts"
import * as PermissionCard from "./PermissionCard.ts"
import * as QuestionCard from "./QuestionCard.ts"
import { titleOf } from "./RequestText.ts"

/**
 * The card of a permission request or question. An open one offers the answers. A closed one shows its outcome;
 * `endReason` says why an unanswered one ended.
 */
export const post = (
  request: AgentRequest,
  messages: Messages,
  endReason: keyof Messages["requestCards"]["withdrawnText"] = "other"
): Post.Post => {
  const { outcome } = request
  const key = Post.requestCardKey(request.id)
  const closedCard = (title: string, description: string, color: number) =>
    Post.embed(key, {
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
      return closedCard(
        `${outcome.allowed ? "✅" : "❌"} ${messages.requestCards.titleWithKind(messages.requestCards.answered(outcome.allowed, isQuestion(request)), title)}`,
        [
          ...outcome.answers.map(({ answer, question }) => answeredLine(request, question, answer, messages)),
          messages.requestCards.answeredBy(outcome.answeredBy, outcome.answeredAt)
        ].join(outcome.answers.length === 1 && outcome.answers[0]?.question === undefined ? " — " : "\n"),
        outcome.allowed ? colors.good : colors.bad
      )
    case "Expired":
      return closedCard(
        `⌛ ${messages.requestCards.titleWithKind(messages.requestCards.expired, title)}`,
        messages.requestCards.expiredText,
        colors.past
      )
    case "Unshown":
      return closedCard(
        `⌛ ${messages.requestCards.titleWithKind(messages.requestCards.notShown, title)}`,
        messages.requestCards.notShownText,
        colors.past
      )
    case "Withdrawn":
      return closedCard(
        `⌛ ${messages.requestCards.titleWithKind(messages.requestCards.withdrawn, title)}`,
        messages.requestCards.withdrawnText[endReason],
        colors.past
      )
  }
}

/** Whether a request is answered by questions. A permission without an allowing option only has options. */
export const isQuestion = ({
  form,
  options,
  questions
}: Pick<AgentRequest, "form" | "options" | "questions">): boolean =>
  form !== "permission" || (questions.length > 0 && options.some(({ kind }) => !kind.startsWith("reject")))

const answeredLine = (
  { options }: AgentRequest,
  question: Question.Question | undefined,
  answer: Question.Value,
  messages: Messages
): string => {
  if (question !== undefined) {
    const questionText = oneLine(question.question, 200) || messages.requestCards.question
    return `**${plain(questionText)}**\n> ${plain(oneLine(answerText(question, answer, messages), 800)) || "…"}`
  }
  const number = options.findIndex(({ name }) => name === answer) + 1
  return (
    plain(oneLine(messages.requestCards.optionName(String(answer)), 100)) ||
    messages.requestCards.option(Math.max(1, number))
  )
}
