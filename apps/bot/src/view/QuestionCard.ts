import * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import * as Post from "../model/Post.ts"
import { escapeMarkdown, plain } from "../text/Escape.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import { revealHidden, sanitize } from "../text/Sanitize.ts"
import { labelsOf } from "./AnswerLabels.ts"
import { colors } from "./Colors.ts"
import { onPage, pager, pageSize, placeholder } from "./OptionPages.ts"
import { bodyOf, titleOf } from "./RequestText.ts"

/** The card of an open request with questions, which it shows one at a time. */
export const post = (key: string, request: AgentRequest, messages: Messages): Post.Post => {
  const question = request.questions[request.step]
  return question === undefined ? noQuestion(key, request, messages) : oneQuestion(key, request, question, messages)
}

/** The form for an answer in own words. */
export const answerForm = (
  permissionId: string,
  step: number,
  question: Question.Question,
  before: string,
  messages: Messages
): Post.Modal => {
  const long = question.kind === "text" && (question.atMost === undefined || question.atMost > 100)
  const bounded = question.kind === "text"
  const most = Math.min(4000, Math.max(1, bounded ? (question.atMost ?? 4000) : 100))
  return {
    customId: `q1:${permissionId}:t:${step}`,
    title: oneLine(question.header ?? "", 45) || messages.requestCards.writeTitle,
    fields: [
      {
        id: "text",
        label: oneLine(question.question, 45) || messages.requestCards.writeTitle,
        ...(bounded && question.atLeast === undefined && question.atMost === undefined
          ? {}
          : { description: oneLine(messages.requestCards.hint(question), 100) }),
        value: before.slice(0, most),
        required: question.required && question.options.length === 0,
        atLeast: bounded ? Math.min(most, Math.max(0, question.atLeast ?? 0)) : 0,
        atMost: most,
        long
      }
    ]
  }
}

const noQuestion = (key: string, request: AgentRequest, messages: Messages): Post.Post => ({
  ...Post.box(key, {
    title: truncate(messages.requestCards.titled(messages.requestCards.question, titleOf(request, messages)), 256),
    // Do not repeat a complete title.
    description: bodyOf(
      request,
      oneLine(request.detail, 200) === titleOf(request, messages) ? "" : escapeMarkdown(revealHidden(request.detail)),
      messages
    ),
    color: colors.waiting,
    footer: messages.requestCards.who
  }),
  buttons: [[send(request, messages), decline(request, messages)]]
})

const oneQuestion = (
  key: string,
  request: AgentRequest,
  question: Question.Question,
  messages: Messages
): Post.Post => {
  const { id, page, step } = request
  const given = Question.answerOf(request.draft, question.id)
  return {
    ...Post.box(key, {
      title: truncate(heading(request, question, messages), 256),
      description: bodyOf(request, linesOf(request, question, given, messages).join("\n"), messages),
      color: colors.waiting,
      footer: messages.requestCards.who
    }),
    buttons: [...select(id, step, page, question, given, messages), actions(request, question, given, messages)]
  }
}

const send = ({ id, questions }: AgentRequest, { requestCards }: Messages): Post.Button => ({
  label: questions.length === 0 ? requestCards.accept : requestCards.send,
  style: "success",
  customId: `q1:${id}:f`
})

const decline = ({ id }: AgentRequest, { requestCards }: Messages): Post.Button => ({
  label: requestCards.decline,
  style: "danger",
  customId: `q1:${id}:n`
})

/** A question, long option descriptions, and the answer so far with its problem. */
const linesOf = (
  request: AgentRequest,
  question: Question.Question,
  given: Question.Value | undefined,
  messages: Messages
): ReadonlyArray<string> => {
  const misfit = given === undefined ? undefined : Question.checkAnswer(question, given)
  const words =
    sanitize(question.question) === ""
      ? messages.requestCards.question
      : revealHidden(truncate(question.question, 1500))
  const isOptional = !question.required && request.form === "elicitation"
  return [
    ...(isInHeading(request, question) ? [] : [`${plain(oneLine(request.detail, 500))}\n`]),
    `**${escapeMarkdown(words)}**${isOptional ? ` ${messages.requestCards.optional}` : ""}`,
    ...described(question, messages),
    ...(given === undefined
      ? []
      : [`\n${messages.requestCards.yours}\n> ${plain(oneLine(labelsOf(question, given, messages), 1000))}`]),
    ...(misfit === undefined ? [] : [`⚠️ ${messages.requestCards.misfit(misfit)}`])
  ]
}

/** Buttons to move between questions, write an answer, send and decline. */
const actions = (
  request: AgentRequest,
  question: Question.Question,
  given: Question.Value | undefined,
  messages: Messages
): ReadonlyArray<Post.Button> => {
  const { id, questions, step } = request
  const { requestCards } = messages
  const isLast = step + 1 >= questions.length
  const takesWords =
    question.kind !== "boolean" && (question.kind !== "choice" || question.freeText || question.options.length === 0)
  const back: Post.Button = { label: requestCards.back, style: "secondary", customId: `q1:${id}:g:${step - 1}:0` }
  const write: Post.Button = {
    label: question.options.length > 0 ? requestCards.other : requestCards.write,
    style: "primary",
    customId: `q1:${id}:w:${step}`
  }
  const next: Post.Button = {
    label: given === undefined ? requestCards.skip : requestCards.next,
    style: "secondary",
    customId: `q1:${id}:g:${step + 1}:0`
  }
  return [
    ...(step === 0 ? [] : [back]),
    ...(takesWords ? [write] : []),
    ...(isLast ? [] : [next]),
    ...(isLast || Object.keys(request.draft).length > 0 ? [send(request, messages)] : []),
    decline(request, messages)
  ]
}

/** Whether the heading already contains the agent's whole text. */
const isInHeading = ({ detail }: AgentRequest, { header }: Question.Question): boolean =>
  detail === "" || (header === undefined && detail.length <= 150)

const heading = ({ questions, step, title }: AgentRequest, question: Question.Question, messages: Messages): string => {
  const name = oneLine(question.header ?? title, 150)
  const what =
    questions.length === 1
      ? messages.requestCards.question
      : messages.requestCards.questionOf(step + 1, questions.length)
  return name === "" ? what : messages.requestCards.titled(what, name)
}

const select = (
  id: string,
  step: number,
  page: number,
  question: Question.Question,
  given: Question.Value | undefined,
  messages: Messages
): Post.Post["buttons"] => {
  const options =
    question.kind === "boolean"
      ? [
          { value: "true", label: messages.requestCards.yes },
          { value: "false", label: messages.requestCards.no }
        ]
      : question.options
  if (options.length === 0) return []
  const chosen = new Set(Array.isArray(given) ? given : given === undefined ? [] : [String(given)])
  const shown = onPage<Question.Question["options"][number]>(options, page)
  return [
    [
      {
        customId: `q1:${id}:s:${step}:${page}`,
        placeholder: placeholder(
          question.multiSelect ? messages.requestCards.chooseSome : messages.requestCards.choose,
          page,
          options.length,
          messages
        ),
        atLeast: question.multiSelect ? 0 : 1,
        atMost: question.multiSelect ? Math.max(1, Math.min(shown.length, question.atMost ?? pageSize)) : 1,
        options: shown.map(([index, { description, label, value }]) => ({
          value: String(index),
          label: oneLine(label, 100) || messages.requestCards.option(index + 1),
          ...(description === undefined || sanitize(description) === ""
            ? {}
            : { description: oneLine(description, 100) }),
          chosen: chosen.has(value)
        }))
      }
    ],
    ...pager(options.length, page, (to) => `q1:${id}:g:${step}:${to}`, messages)
  ]
}

/** The option descriptions that are too long for a select. */
const described = ({ options }: Question.Question, { requestCards }: Messages): ReadonlyArray<string> =>
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
