import type * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { forDecision, plain } from "../text/Escape.ts"
import { oneLine, truncate, truncateLines } from "../text/Truncate.ts"
import { answerText } from "./QuestionAnswer.ts"
import { colors } from "./Colors.ts"
import * as PermissionCard from "./PermissionCard.ts"
import * as QuestionCard from "./QuestionCard.ts"
import { hasChange, titleOf, wholeDetail } from "./RequestText.ts"

/** What the end of a turn means for its requests. */
export interface TurnEnd {
  /** Why an unanswered request ended. */
  readonly withdrawal: keyof Messages["requestCards"]["withdrawnText"]
  /** The agent ended the turn by itself, so it waits for nothing any more. */
  readonly isOver: boolean
}

/**
 * The card of a permission request or question. An open one offers the answers. A closed one shows its outcome. What does
 * not fit is a file of the card, up to `uploadLimit` bytes.
 */
export const post = (
  request: AgentRequest,
  messages: Messages,
  uploadLimit: number,
  end: TurnEnd = { withdrawal: "other", isOver: false }
): Post.Post => {
  const { files, note } = wholeDetail(request, messages, uploadLimit)
  const card = cardOf(request, note, messages, end)
  // Discord may have refused the card because of its file.
  return request.outcome._tag === "Unshown" ? card : { ...card, files }
}

const cardOf = (
  request: AgentRequest,
  wholeNote: ReadonlyArray<string>,
  messages: Messages,
  { isOver, withdrawal }: TurnEnd
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
        : PermissionCard.post(key, request, wholeNote, messages)
    case "Answered": {
      const { color, kind, note, symbol } = answeredLook(request, outcome, isOver, messages)
      return closedCard(
        `${symbol} ${messages.requestCards.titleWithKind(kind, title)}`,
        [answerLines(request, outcome, messages), ...note, ...changes(request, messages), ...wholeNote].join("\n\n"),
        color
      )
    }
    case "ConnectionLost":
      return closedCard(
        `⚠️ ${messages.requestCards.titleWithKind(messages.requestCards.connectionLost, title)}`,
        messages.requestCards.connectionLostText,
        colors.past
      )
    case "Expired":
      return closedCard(
        `⌛ ${messages.requestCards.titleWithKind(messages.requestCards.expired, title)}`,
        messages.requestCards.expiredText(outcome.isRefused),
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
        messages.requestCards.withdrawnText[withdrawal],
        colors.past
      )
  }
}

/** What the answer was about, as it was shown: people read later what was allowed. */
const changes = (request: AgentRequest, { turnPosts }: Messages): ReadonlyArray<string> =>
  isQuestion(request) || !hasChange(request.detail)
    ? []
    : [truncateLines(forDecision(request.detail), 3000, turnPosts.moreCharacters)]

type Answered = Extract<AgentRequest["outcome"], { readonly _tag: "Answered" }>

/** How an answer is shown: as given only once the service has taken it, and as allowed once the agent went on. */
const answeredLook = (
  request: AgentRequest,
  { allowed, delivery }: Answered,
  isOver: boolean,
  { requestCards }: Messages
) => {
  switch (delivery) {
    case "Sending":
      return { symbol: "⏳", kind: requestCards.sending, note: [requestCards.sendingText], color: colors.waiting }
    case "Sent":
      return isOver
        ? { symbol: "📨", kind: requestCards.taken, note: [requestCards.takenText], color: colors.past }
        : { symbol: "📨", kind: requestCards.sent, note: [requestCards.sentText], color: colors.waiting }
    case "NotConfirmed":
      return { symbol: "⚠️", kind: requestCards.notConfirmed, note: [requestCards.notConfirmedText], color: colors.bad }
    default: {
      const kind = requestCards.answered(allowed, isQuestion(request))
      if (allowed === undefined) return { symbol: "📨", kind, note: [], color: colors.past }
      return { symbol: allowed ? "✅" : "❌", kind, note: [], color: allowed ? colors.good : colors.bad }
    }
  }
}

const answerLines = (request: AgentRequest, { answeredAt, answeredBy, answers }: Answered, messages: Messages) =>
  [
    ...answers.map(({ answer, question }) => answeredLine(request, question, answer, messages)),
    messages.requestCards.answeredBy(answeredBy, answeredAt)
  ].join(answers.length === 1 && answers[0]?.question === undefined ? " — " : "\n")

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
  const label = PermissionCard.labelOf(String(answer), options, messages)
  return (
    plain(label ?? oneLine(messages.requestCards.optionName(String(answer)), 100)) ||
    messages.requestCards.option(Math.max(1, number))
  )
}
