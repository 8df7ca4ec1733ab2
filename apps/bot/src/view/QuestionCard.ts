import * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { escapeMarkdown, plain } from "../text/Escape.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { revealHidden, sanitize } from "../text/Sanitize.ts"
import { answerText } from "./QuestionAnswer.ts"
import { colors } from "./Colors.ts"
import { optionsOnPage, pageButtons, pageSize, placeholderText } from "./OptionPages.ts"
import { cardText, titleOf } from "./RequestText.ts"

/**
 * The card of an open request with questions, which it shows one at a time. `CardAction` explains the custom ids of its
 * controls.
 */
export const post = (key: string, request: AgentRequest, messages: Messages): Post.Post => {
  const question = request.questions[request.questionIndex]
  return question === undefined
    ? confirmationPost(key, request, messages)
    : questionPost(key, request, question, messages)
}

/** The modal for a written answer. */
export const answerForm = (
  permissionId: string,
  questionIndex: number,
  question: Question.Question,
  initialText: string,
  messages: Messages
): Post.Modal => {
  const isMultiline = question.kind === "text" && (question.atMost === undefined || question.atMost > 100)
  const isText = question.kind === "text"
  const maxLength = Math.min(4000, Math.max(1, isText ? (question.atMost ?? 4000) : 100))
  return {
    customId: `q1:${permissionId}:t:${questionIndex}`,
    title: oneLine(question.header ?? "", 45) || messages.requestCards.writeTitle,
    fields: [
      {
        id: "text",
        label: oneLine(question.question, 45) || messages.requestCards.writeTitle,
        ...(isText && question.atLeast === undefined && question.atMost === undefined
          ? {}
          : { description: oneLine(messages.requestCards.answerHint(question), 100) }),
        value: initialText.slice(0, maxLength),
        required: question.required && question.options.length === 0,
        minLength: isText ? Math.min(maxLength, Math.max(0, question.atLeast ?? 0)) : 0,
        maxLength,
        isMultiline
      }
    ]
  }
}

const confirmationPost = (key: string, request: AgentRequest, messages: Messages): Post.Post => ({
  ...Post.embed(key, {
    title: truncate(
      messages.requestCards.titleWithKind(messages.requestCards.question, titleOf(request, messages)),
      256
    ),
    // Do not repeat a complete title.
    description: cardText(
      request,
      oneLine(request.detail, 200) === titleOf(request, messages) ? "" : escapeMarkdown(revealHidden(request.detail)),
      messages
    ),
    color: colors.waiting,
    footer: messages.requestCards.whoMayAnswer
  }),
  rows: [[sendButton(request, messages), declineButton(request, messages)]]
})

const questionPost = (
  key: string,
  request: AgentRequest,
  question: Question.Question,
  messages: Messages
): Post.Post => {
  const { id, optionPage, questionIndex } = request
  const answer = Question.answerOf(request.draft, question.id)
  return {
    ...Post.embed(key, {
      title: truncate(heading(request, question, messages), 256),
      description: cardText(request, questionLines(request, question, answer, messages).join("\n"), messages),
      color: colors.waiting,
      footer: messages.requestCards.whoMayAnswer
    }),
    rows: [
      ...selectRows(id, questionIndex, optionPage, question, answer, messages),
      actionButtons(request, question, answer, messages)
    ]
  }
}

const sendButton = ({ id, questions }: AgentRequest, { requestCards }: Messages): Post.Button => ({
  label: questions.length === 0 ? requestCards.accept : requestCards.send,
  style: "success",
  customId: `q1:${id}:f`
})

const declineButton = ({ id }: AgentRequest, { requestCards }: Messages): Post.Button => ({
  label: requestCards.decline,
  style: "danger",
  customId: `q1:${id}:n`
})

/** A question, long option descriptions, and the answer so far with its problem. */
const questionLines = (
  request: AgentRequest,
  question: Question.Question,
  answer: Question.Value | undefined,
  messages: Messages
): ReadonlyArray<string> => {
  const problem = answer === undefined ? undefined : Question.checkAnswer(question, answer)
  const text =
    sanitize(question.question) === ""
      ? messages.requestCards.question
      : revealHidden(truncate(question.question, 1500))
  // Only the form of an elicitation says which answers are required; the other forms always read as not required.
  const isOptional = !question.required && request.form === "elicitation"
  return [
    ...(isInHeading(request, question) ? [] : [`${plain(oneLine(request.detail, 500))}\n`]),
    `**${escapeMarkdown(text)}**${isOptional ? ` ${messages.requestCards.optional}` : ""}`,
    ...longDescriptions(question, messages),
    ...(answer === undefined
      ? []
      : [`\n${messages.requestCards.yourAnswer}\n> ${plain(oneLine(answerText(question, answer, messages), 1000))}`]),
    ...(problem === undefined ? [] : [`⚠️ ${messages.requestCards.answerProblem(problem)}`])
  ]
}

/** Buttons to move between questions, write an answer, send and decline. */
const actionButtons = (
  request: AgentRequest,
  question: Question.Question,
  answer: Question.Value | undefined,
  messages: Messages
): ReadonlyArray<Post.Button> => {
  const { id, questions, questionIndex } = request
  const { requestCards } = messages
  const isLast = questionIndex + 1 >= questions.length
  const acceptsText =
    question.kind !== "boolean" && (question.kind !== "choice" || question.freeText || question.options.length === 0)
  const back: Post.Button = {
    label: requestCards.back,
    style: "secondary",
    customId: `q1:${id}:g:${questionIndex - 1}:0`
  }
  const write: Post.Button = {
    label: question.options.length > 0 ? requestCards.otherAnswer : requestCards.writeAnswer,
    style: "primary",
    customId: `q1:${id}:w:${questionIndex}`
  }
  const next: Post.Button = {
    label: answer === undefined ? requestCards.skip : requestCards.next,
    style: "secondary",
    customId: `q1:${id}:g:${questionIndex + 1}:0`
  }
  return [
    ...(questionIndex === 0 ? [] : [back]),
    ...(acceptsText ? [write] : []),
    ...(isLast ? [] : [next]),
    ...(isLast || Object.keys(request.draft).length > 0 ? [sendButton(request, messages)] : []),
    declineButton(request, messages)
  ]
}

/** Whether the heading already contains the agent's whole text. */
const isInHeading = ({ detail }: AgentRequest, { header }: Question.Question): boolean =>
  detail === "" || (header === undefined && detail.length <= 150)

const heading = (
  { questions, questionIndex, title }: AgentRequest,
  question: Question.Question,
  messages: Messages
): string => {
  const name = oneLine(question.header ?? title, 150)
  const kind =
    questions.length === 1
      ? messages.requestCards.question
      : messages.requestCards.questionOf(questionIndex + 1, questions.length)
  return name === "" ? kind : messages.requestCards.titleWithKind(kind, name)
}

const selectRows = (
  id: string,
  questionIndex: number,
  optionPage: number,
  question: Question.Question,
  answer: Question.Value | undefined,
  messages: Messages
): Post.Post["rows"] => {
  const options =
    question.kind === "boolean"
      ? [
          { value: "true", label: messages.requestCards.yes },
          { value: "false", label: messages.requestCards.no }
        ]
      : question.options
  if (options.length === 0) return []
  const chosen = new Set(Array.isArray(answer) ? answer : answer === undefined ? [] : [String(answer)])
  const optionsShown = optionsOnPage<Question.Question["options"][number]>(options, optionPage)
  return [
    [
      {
        customId: `q1:${id}:s:${questionIndex}:${optionPage}`,
        placeholder: placeholderText(
          question.multiSelect ? messages.requestCards.chooseSome : messages.requestCards.choose,
          optionPage,
          options.length,
          messages
        ),
        minValues: question.multiSelect ? 0 : 1,
        maxValues: question.multiSelect ? Math.max(1, Math.min(optionsShown.length, question.atMost ?? pageSize)) : 1,
        options: optionsShown.map(([index, { description, label, value }]) => ({
          value: String(index),
          label: oneLine(label, 100) || messages.requestCards.option(index + 1),
          ...(description === undefined || sanitize(description) === ""
            ? {}
            : { description: oneLine(description, 100) }),
          isDefault: chosen.has(value)
        }))
      }
    ],
    ...pageButtons(options.length, optionPage, (to) => `q1:${id}:g:${questionIndex}:${to}`, messages)
  ]
}

/** The option descriptions that are too long for a select. */
const longDescriptions = ({ options }: Question.Question, { requestCards }: Messages): ReadonlyArray<string> =>
  options.some(({ description = "", label }) => description.length > 100 || label.length > 100)
    ? options
        .slice(0, pageSize)
        .map(({ description, label }, index) =>
          truncate(
            `- **${plain(oneLine(label, 300)) || requestCards.option(index + 1)}**${description === undefined ? "" : `: ${plain(oneLine(description, 500))}`}`,
            600
          )
        )
    : []
