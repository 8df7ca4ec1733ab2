import * as Question from "@heddle/acp/Question"
import type { Messages } from "../messages/Messages.ts"
import type { Asked } from "../model/Conversation.ts"
import { colors } from "./Cards.ts"
import { clean, spellOut } from "../text/Sanitize.ts"
import { escaped, fit, fitLines, oneLine, plain } from "../text/Fit.ts"
import * as Post from "../model/Post.ts"
import { words } from "./Question.ts"

/** The most options that one select shows. */
export const pageSize = 25

/**
 * The card of a request: what is asked above, how to answer below; when it is settled, who answered what, and when, or
 * why nobody could: `closed` is what became of the turn.
 */
export const post = (
  request: Asked,
  messages: Messages,
  closed: keyof Messages["asked"]["withdrawnText"] = "other"
): Post.Post => {
  const { outcome } = request
  const key = keyOf(request)
  const settled = (title: string, description: string, color: number) =>
    Post.box(key, {
      title: fit(title, 256),
      description: fitLines(description, 4000, messages.shown.moreCharacters),
      color
    })
  const title = titleOf(request, messages)
  switch (outcome._tag) {
    case "Open":
      return isQuestion(request) ? questions(key, request, messages) : permission(key, request, messages)
    case "Answered":
      return settled(
        `${outcome.allowed ? "✅" : "❌"} ${messages.asked.titled(messages.asked.answered(outcome.allowed, isQuestion(request)), title)}`,
        [
          ...outcome.what.map(({ answer, question }) => said(request, question, answer, messages)),
          messages.asked.by(outcome.by, outcome.at)
        ].join(outcome.what.length === 1 && outcome.what[0]?.question === undefined ? " — " : "\n"),
        outcome.allowed ? colors.good : colors.bad
      )
    case "Expired":
      return settled(
        `⌛ ${messages.asked.titled(messages.asked.expired, title)}`,
        messages.asked.expiredText,
        colors.past
      )
    case "Unshown":
      return settled(
        `⌛ ${messages.asked.titled(messages.asked.unshown, title)}`,
        messages.asked.unshownText,
        colors.past
      )
    case "Withdrawn":
      return settled(
        `⌛ ${messages.asked.titled(messages.asked.withdrawn, title)}`,
        messages.asked.withdrawnText[closed],
        colors.past
      )
  }
}

/** The key of the post of a request. */
export const keyOf = ({ id }: Pick<Asked, "id">): string => `${keys}${id}`

/** The request whose post has this key; undefined when it is another post's. */
export const requestOf = (key: string): string | undefined =>
  key.startsWith(keys) ? key.slice(keys.length) : undefined

const keys = "asked:"

/** Whether a request is answered by answering questions: a permission without a way to say yes is only chosen. */
export const isQuestion = ({ form, options, questions }: Pick<Asked, "form" | "options" | "questions">): boolean =>
  form !== "permission" || (questions.length > 0 && options.some(({ kind }) => !kind.startsWith("reject")))

/** The form in which one question is answered in own words. */
export const writing = (
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
    title: oneLine(question.header ?? "", 45) || messages.asked.writeTitle,
    fields: [
      {
        id: "text",
        label: oneLine(question.question, 45) || messages.asked.writeTitle,
        // That words are wanted goes without saying.
        ...(bounded && question.atLeast === undefined && question.atMost === undefined
          ? {}
          : { description: oneLine(messages.asked.hint(question), 100) }),
        value: before.slice(0, most),
        required: question.required && question.options.length === 0,
        atLeast: bounded ? Math.min(most, Math.max(0, question.atLeast ?? 0)) : 0,
        atMost: most,
        long
      }
    ]
  }
}

const said = (
  { options }: Asked,
  question: Question.Question | undefined,
  answer: Question.Value,
  messages: Messages
): string => {
  if (question !== undefined) {
    const asked = oneLine(question.question, 200) || messages.asked.question
    return `**${plain(asked)}**\n> ${plain(oneLine(words(question, answer, messages), 800)) || "…"}`
  }
  const number = options.findIndex(({ name }) => name === answer) + 1
  return plain(oneLine(messages.asked.optionName(String(answer)), 100)) || messages.asked.option(Math.max(1, number))
}

const permission = (key: string, request: Asked, messages: Messages): Post.Post => ({
  ...Post.box(key, {
    title: fit(messages.asked.titled(messages.asked.permission, titleOf(request, messages)), 256),
    description: body(request, spellOut(request.detail), messages),
    color: colors.waiting,
    footer: messages.asked.who
  }),
  buttons:
    request.options.length > 20
      ? manyOptions(request, messages)
      : rowsOf5(
          request.options.map((option, index) => ({
            label: oneLine(messages.asked.optionName(option.name), 80) || messages.asked.option(index + 1),
            style: styleOf(option.kind),
            customId: `p1:${request.id}:${index}`
          }))
        )
})

const manyOptions = ({ id, options, page }: Asked, messages: Messages): Post.Post["buttons"] => [
  [
    {
      customId: `q1:${id}:o`,
      placeholder: placeholder(messages.asked.choose, page, options.length, messages),
      atLeast: 1,
      atMost: 1,
      options: onPage(options, page).map(([index, { name }]) => ({
        value: String(index),
        label: oneLine(messages.asked.optionName(name), 100) || messages.asked.option(index + 1),
        chosen: false
      }))
    }
  ],
  ...pager(options.length, page, (to) => `q1:${id}:p:${to}`, messages)
]

const questions = (key: string, request: Asked, messages: Messages): Post.Post => {
  const { id, page, step } = request
  const question = request.questions[step]
  const count = request.questions.length
  const footer = messages.asked.who
  const decline: Post.Button = { label: messages.asked.decline, style: "danger", customId: `q1:${id}:n` }
  const send: Post.Button = {
    label: count === 0 ? messages.asked.accept : messages.asked.send,
    style: "success",
    customId: `q1:${id}:f`
  }
  if (question === undefined) {
    return {
      ...Post.box(key, {
        title: fit(messages.asked.titled(messages.asked.question, titleOf(request, messages)), 256),
        // A title that says it all is not said twice.
        description: body(
          request,
          oneLine(request.detail, 200) === titleOf(request, messages) ? "" : escaped(spellOut(request.detail)),
          messages
        ),
        color: colors.waiting,
        footer
      }),
      buttons: [[send, decline]]
    }
  }
  const given = Question.answerOf(request.draft, question.id)
  const misfit = given === undefined ? undefined : Question.checkAnswer(question, given)
  const lines = [
    ...(isSaid(request, question) ? [] : [`${plain(oneLine(request.detail, 500))}\n`]),
    `**${escaped(clean(question.question) === "" ? messages.asked.question : spellOut(fit(question.question, 1500)))}**${question.required || request.form !== "elicitation" ? "" : ` ${messages.asked.optional}`}`,
    ...described(question, messages),
    ...(given === undefined
      ? []
      : [`\n${messages.asked.yours}\n> ${plain(oneLine(words(question, given, messages), 1000))}`]),
    ...(misfit === undefined ? [] : [`⚠️ ${messages.asked.misfit(misfit)}`])
  ]
  const last = step + 1 >= count
  const own =
    question.kind !== "boolean" && (question.kind !== "choice" || question.freeText || question.options.length === 0)
  const row: ReadonlyArray<Post.Button | undefined> = [
    step === 0 ? undefined : { label: messages.asked.back, style: "secondary", customId: `q1:${id}:g:${step - 1}:0` },
    own
      ? {
          label: question.options.length > 0 ? messages.asked.other : messages.asked.write,
          style: "primary",
          customId: `q1:${id}:w:${step}`
        }
      : undefined,
    last
      ? undefined
      : {
          label: given === undefined ? messages.asked.skip : messages.asked.next,
          style: "secondary",
          customId: `q1:${id}:g:${step + 1}:0`
        },
    last || Object.keys(request.draft).length > 0 ? send : undefined,
    decline
  ]
  return {
    ...Post.box(key, {
      title: fit(heading(request, question, messages), 256),
      description: body(request, lines.join("\n"), messages),
      color: colors.waiting,
      footer
    }),
    buttons: [...select(id, step, page, question, given, messages), row.filter((button) => button !== undefined)]
  }
}

const titleOf = ({ title }: Asked, { asked }: Messages): string => oneLine(title, 200) || asked.tool

/** However long the words are, until when they are open stands below them. */
const body = ({ deadline }: Asked, words: string, messages: Messages): string =>
  [
    ...(words === "" ? [] : [fitLines(words, 3900, messages.shown.moreCharacters)]),
    messages.asked.deadline(deadline)
  ].join("\n\n")

/** Whether the heading says all of the agent's words already. */
const isSaid = ({ detail }: Asked, { header }: Question.Question): boolean =>
  detail === "" || (header === undefined && detail.length <= 150)

const heading = ({ questions, step, title }: Asked, question: Question.Question, messages: Messages): string => {
  const name = oneLine(question.header ?? title, 150)
  const what = questions.length === 1 ? messages.asked.question : messages.asked.questionOf(step + 1, questions.length)
  return name === "" ? what : messages.asked.titled(what, name)
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
          { value: "true", label: messages.asked.yes },
          { value: "false", label: messages.asked.no }
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
          question.multiSelect ? messages.asked.chooseSome : messages.asked.choose,
          page,
          options.length,
          messages
        ),
        atLeast: question.multiSelect ? 0 : 1,
        atMost: question.multiSelect ? Math.max(1, Math.min(shown.length, question.atMost ?? pageSize)) : 1,
        options: shown.map(([index, { description, label, value }]) => ({
          value: String(index),
          label: oneLine(label, 100) || messages.asked.option(index + 1),
          ...(description === undefined || clean(description) === "" ? {} : { description: oneLine(description, 100) }),
          chosen: chosen.has(value)
        }))
      }
    ],
    ...pager(options.length, page, (to) => `q1:${id}:g:${step}:${to}`, messages)
  ]
}

/** What a select cannot show of its options: descriptions that are longer than its lines. */
const described = ({ options }: Question.Question, { asked }: Messages): ReadonlyArray<string> =>
  options.some(({ description = "", label }) => description.length > 100 || label.length > 100)
    ? options
        .slice(0, pageSize)
        .map(({ description, label }, index) =>
          fit(
            `- **${plain(oneLine(label, 300)) || asked.option(index + 1)}**${description === undefined ? "" : `: ${plain(oneLine(description, 500))}`}`,
            600
          )
        )
    : []

const onPage = <A>(items: ReadonlyArray<A>, page: number): ReadonlyArray<readonly [number, A]> =>
  items.map((item, index) => [index, item] as const).slice(page * pageSize, (page + 1) * pageSize)

const placeholder = (words: string, page: number, count: number, messages: Messages): string =>
  count <= pageSize ? words : `${words} (${messages.asked.pageOf(page + 1, Math.ceil(count / pageSize))})`

const pager = (
  count: number,
  page: number,
  customId: (page: number) => string,
  messages: Messages
): Post.Post["buttons"] => {
  if (count <= pageSize) return []
  const last = Math.ceil(count / pageSize) - 1
  return [
    [
      ...(page > 0
        ? [{ label: messages.asked.pageBack, style: "secondary", customId: customId(page - 1) } as const]
        : []),
      ...(page < last
        ? [{ label: messages.asked.pageOn, style: "secondary", customId: customId(page + 1) } as const]
        : [])
    ]
  ]
}

const styleOf = (kind: string): Post.Button["style"] => {
  if (kind === "allow_once") return "success"
  if (kind.startsWith("reject")) return "danger"
  return "secondary"
}

const rowsOf5 = <A>(items: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / 5) }, (_, row) => items.slice(row * 5, row * 5 + 5))
