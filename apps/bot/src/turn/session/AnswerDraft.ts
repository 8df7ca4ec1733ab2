import * as Question from "@heddle/acp/Question"
import { pageSize } from "../../view/OptionPages.ts"
import type { AnswerDraft, DraftedBy, PersonsAnswer } from "../../store/PermissionRow.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"

/** An action on a card. The ids of its controls hold a version, the row and the action, and no secret. */
export type CardAction =
  /** `p1:<row>:<option>`, or `q1:<row>:o` with the chosen option. */
  | { readonly _tag: "Choose"; readonly option: number }
  /** `q1:<row>:p:<page>`: another page of the options of a permission. */
  | { readonly _tag: "ShowPage"; readonly optionPage: number }
  /** `q1:<row>:s:<question>:<page>` with the chosen options of that page. */
  | {
      readonly _tag: "Pick"
      readonly questionIndex: number
      readonly optionPage: number
      readonly pickedIndexes: ReadonlyArray<number>
    }
  /** `q1:<row>:w:<question>`: opens a form to write in. */
  | { readonly _tag: "Write"; readonly questionIndex: number }
  /** `q1:<row>:t:<question>` with what was written. */
  | { readonly _tag: "Written"; readonly questionIndex: number; readonly text: string }
  /** `q1:<row>:g:<question>:<page>`: shows another question, or another page of its options. */
  | { readonly _tag: "Go"; readonly questionIndex: number; readonly optionPage: number }
  /** `q1:<row>:f`: gives the answers to the agent. */
  | { readonly _tag: "Send" }
  /** `q1:<row>:n`: says no. */
  | { readonly _tag: "Decline" }

/** Reads the id of a control and its values; undefined when it belongs to no card of this version. */
export const parse = (
  customId: string,
  values: ReadonlyArray<string>
): { readonly permissionId: string; readonly action: CardAction } | undefined => {
  const [version, permissionId = "", verb = "", ...rest] = customId.split(":")
  const numbers = (version === "p1" ? [verb, ...rest] : rest).map((part) =>
    /^\d{1,6}$/.test(part) ? Number(part) : -1
  )
  if (permissionId === "" || numbers.includes(-1)) return undefined
  const [first = 0, second = 0] = numbers
  const pickedIndexes = values.filter((value) => /^\d{1,6}$/.test(value)).map(Number)
  const action = version === "p1" ? ({ _tag: "Choose", option: first } as const) : undefined
  const parsed =
    action ?? (version === "q1" ? parseAction(verb, first, second, pickedIndexes, values[0] ?? "") : undefined)
  return parsed === undefined ? undefined : { permissionId, action: parsed }
}

const parseAction = (
  verb: string,
  first: number,
  second: number,
  pickedIndexes: ReadonlyArray<number>,
  text: string
): CardAction | undefined => {
  switch (verb) {
    case "o":
      return pickedIndexes[0] === undefined ? undefined : { _tag: "Choose", option: pickedIndexes[0] }
    case "p":
      return { _tag: "ShowPage", optionPage: first }
    case "s":
      return { _tag: "Pick", questionIndex: first, optionPage: second, pickedIndexes }
    case "w":
      return { _tag: "Write", questionIndex: first }
    case "t":
      return { _tag: "Written", questionIndex: first, text }
    case "g":
      return { _tag: "Go", questionIndex: first, optionPage: second }
    case "f":
      return { _tag: "Send" }
    case "n":
      return { _tag: "Decline" }
    default:
      return undefined
  }
}

/** Whether an answer says yes to what the agent asked; undefined where the agent does not tell what an option means. */
export const allows = ({ options }: Pick<PermissionRow, "options">, answer: PersonsAnswer): boolean | undefined => {
  switch (answer._tag) {
    case "Selected": {
      const { kind = "" } = options.find(({ optionId }) => optionId === answer.optionId) ?? {}
      return kind.startsWith("allow") ? true : kind.startsWith("reject") ? false : undefined
    }
    case "Declined":
      return false
    case "Answered":
      return true
  }
}

/** What an action makes of a request: an answer or a changed draft; `InvalidAction` when the request has no such option or question. */
export type ActionResult =
  | { readonly _tag: "Answer"; readonly answer: PersonsAnswer }
  | { readonly _tag: "Draft"; readonly draft: AnswerDraft; readonly problem?: Problem }
  | { readonly _tag: "InvalidAction" }

/** Why answers cannot be sent as they are. */
export type Problem = Question.AnswerProblem | { readonly _tag: "NothingAnswered" }

/** Applies an action to a row, whether the row is open or not. */
export const apply = (row: PermissionRow, action: CardAction): ActionResult => {
  switch (action._tag) {
    case "Choose": {
      const option = row.options[action.option]
      return option === undefined ? invalidAction : answer({ _tag: "Selected", optionId: option.optionId })
    }
    case "ShowPage":
      return draft({ ...row, optionPage: clampPage(action.optionPage, pageCount(row.options.length)) })
    case "Pick":
      return pick(row, action)
    case "Written":
      return written(row, action)
    case "Go":
      return row.questions[action.questionIndex] === undefined
        ? invalidAction
        : draft({ draft: row.draft, questionIndex: action.questionIndex, optionPage: action.optionPage })
    case "Send":
      return send(row)
    case "Decline":
      return answer({ _tag: "Declined" })
    case "Write":
      return invalidAction
  }
}

/** The authors of each answer of a draft after an action; an answer with several choices has several authors. */
export const draftedBy = (
  row: PermissionRow,
  action: CardAction,
  { draft }: AnswerDraft,
  userId: string
): DraftedBy => {
  const changedId =
    action._tag === "Pick" || action._tag === "Written" ? row.questions[action.questionIndex]?.id : undefined
  return Object.fromEntries(
    Object.entries(draft).map(([id, value]) => {
      const previousValues = row.draftedBy[id] ?? []
      if (id !== changedId) return [id, previousValues]
      return [id, Array.isArray(value) ? [...new Set([...previousValues, userId])] : [userId]]
    })
  )
}

/** A draft without the answers of these people; it shows the first question that lost its answer. */
export const withoutAnswersOf = (
  row: PermissionRow,
  userIds: ReadonlyArray<string>
): AnswerDraft & { readonly draftedBy: DraftedBy } => {
  const isKept = (id: string) => row.draftedBy[id]?.some((userId) => userIds.includes(userId)) !== true
  const keptEntries = <A>(all: Readonly<Record<string, A>>) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => isKept(id)))
  const questionIndex = row.questions.findIndex(({ id }) => !isKept(id))
  return {
    draft: keptEntries(row.draft),
    draftedBy: keptEntries(row.draftedBy),
    questionIndex: Math.max(0, questionIndex),
    optionPage: 0
  }
}

/** The words that a person wrote beside the options of a question. */
export const writtenAnswer = (question: Question.Question, answer: Question.Value | undefined): string => {
  if (answer === undefined) return ""
  const values = Array.isArray(answer) ? answer : [String(answer)]
  return values.filter((value) => !question.options.some((option) => option.value === value)).join("\n")
}

const invalidAction: ActionResult = { _tag: "InvalidAction" }

const answer = (answer: PersonsAnswer): ActionResult => ({ _tag: "Answer", answer })

const draft = ({ draft, optionPage, questionIndex }: AnswerDraft, problem?: Problem): ActionResult => ({
  _tag: "Draft",
  draft: { draft, optionPage, questionIndex },
  ...(problem === undefined ? {} : { problem })
})

const pageCount = (options: number): number => Math.max(1, Math.ceil(options / pageSize))

const clampPage = (optionPage: number, count: number): number => Math.min(optionPage, count - 1)

const pick = (
  row: PermissionRow,
  { optionPage: page, pickedIndexes: picked, questionIndex: step }: Extract<CardAction, { _tag: "Pick" }>
): ActionResult => {
  const question = row.questions[step]
  if (question === undefined) return invalidAction
  if (question.kind === "boolean")
    return answerAndAdvance(row, step, picked[0] === undefined ? undefined : picked[0] === 0)
  const chosenValues = picked.flatMap((index) => question.options[index]?.value ?? [])
  if (!question.multiSelect) return answerAndAdvance(row, step, chosenValues[0])
  // Of the other pages, and in the person's own words, everything stays.
  const offeredValues = question.options.slice(page * pageSize, (page + 1) * pageSize).map(({ value }) => value)
  const previousValues = toList(Question.answerOf(row.draft, question.id)).filter(
    (value) => !offeredValues.includes(value)
  )
  const all = new Set([...previousValues, ...chosenValues])
  const knownValues = question.options.map(({ value }) => value).filter((value) => all.has(value))
  const value = [...knownValues, ...previousValues.filter((each) => !knownValues.includes(each))]
  return draft({ draft: withAnswer(row, question.id, value), questionIndex: step, optionPage: page })
}

const written = (
  row: PermissionRow,
  { questionIndex: step, text }: Extract<CardAction, { _tag: "Written" }>
): ActionResult => {
  const question = row.questions[step]
  if (question === undefined) return invalidAction
  const writtenText = text.trim()
  const offeredValues = new Set(question.options.map(({ value }) => value))
  const value = question.multiSelect
    ? [
        ...toList(Question.answerOf(row.draft, question.id)).filter((each) => offeredValues.has(each)),
        ...(writtenText === "" ? [] : [writtenText])
      ]
    : writtenText
  const problem = Question.checkAnswer(question, value)
  // What was written is kept, so that it can be put right.
  if (problem !== undefined)
    return draft(
      { draft: withAnswer(row, question.id, value), questionIndex: step, optionPage: row.optionPage },
      problem
    )
  return answerAndAdvance(row, step, value)
}

/** Keeps an answer and shows the next question, if there is one. */
const answerAndAdvance = (
  row: PermissionRow,
  questionIndex: number,
  value: Question.Value | undefined
): ActionResult => {
  const id = row.questions[questionIndex]?.id ?? ""
  const next =
    questionIndex + 1 < row.questions.length
      ? { questionIndex: questionIndex + 1, optionPage: 0 }
      : { questionIndex, optionPage: row.optionPage }
  return draft({ draft: withAnswer(row, id, value), ...next })
}

const send = (row: PermissionRow): ActionResult => {
  for (const [questionIndex, question] of row.questions.entries()) {
    const problem = Question.checkAnswer(question, Question.answerOf(row.draft, question.id))
    if (problem !== undefined) return draft({ draft: row.draft, questionIndex, optionPage: 0 }, problem)
  }
  const answers = Question.toContent(row.questions, row.draft)
  // A form may be sent without answers; a question is declined instead.
  if (row.form !== "elicitation" && Object.keys(answers).length === 0) {
    return draft(
      { draft: row.draft, questionIndex: row.questionIndex, optionPage: row.optionPage },
      { _tag: "NothingAnswered" }
    )
  }
  return answer({ _tag: "Answered", answers })
}

const withAnswer = (row: PermissionRow, id: string, value: Question.Value | undefined): Question.Answers => {
  const { [id]: _, ...otherAnswers } = row.draft
  const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  return isEmpty ? otherAnswers : { ...otherAnswers, [id]: value }
}

const toList = (value: Question.Value | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : Array.isArray(value) ? value : [String(value)]
