import * as Question from "@heddle/acp/Question"
import { pageSize } from "../../view/OptionPages.ts"
import type { AnswerDraft, DraftedBy, PersonsAnswer } from "../../store/PermissionRow.ts"
import type { PermissionRow } from "../../store/PermissionRow.ts"

/** An action on a card. The ids of its controls hold a version, the row and the action, and no secret. */
export type CardAction =
  /** `p1:<row>:<option>`, or `q1:<row>:o` with the chosen option. */
  | { readonly _tag: "Choose"; readonly option: number }
  /** `q1:<row>:p:<page>`: another page of the options of a permission. */
  | { readonly _tag: "Turn"; readonly page: number }
  /** `q1:<row>:s:<step>:<page>` with the chosen options of that page. */
  | { readonly _tag: "Pick"; readonly step: number; readonly page: number; readonly picked: ReadonlyArray<number> }
  /** `q1:<row>:w:<step>`: opens a form to write in. */
  | { readonly _tag: "Write"; readonly step: number }
  /** `q1:<row>:t:<step>` with what was written. */
  | { readonly _tag: "Written"; readonly step: number; readonly text: string }
  /** `q1:<row>:g:<step>:<page>`: shows another question, or another page of its options. */
  | { readonly _tag: "Go"; readonly step: number; readonly page: number }
  /** `q1:<row>:f`: gives the answers to the agent. */
  | { readonly _tag: "Send" }
  /** `q1:<row>:n`: says no. */
  | { readonly _tag: "Decline" }

/** Reads the id of a control and its values; undefined when it belongs to no card of this version. */
export const parse = (
  customId: string,
  values: ReadonlyArray<string>
): { readonly permissionId: string; readonly act: CardAction } | undefined => {
  const [version, permissionId = "", verb = "", ...rest] = customId.split(":")
  const numbers = (version === "p1" ? [verb, ...rest] : rest).map((part) =>
    /^\d{1,6}$/.test(part) ? Number(part) : -1
  )
  if (permissionId === "" || numbers.includes(-1)) return undefined
  const [first = 0, second = 0] = numbers
  const picked = values.filter((value) => /^\d{1,6}$/.test(value)).map(Number)
  const act = version === "p1" ? ({ _tag: "Choose", option: first } as const) : undefined
  const found = act ?? (version === "q1" ? actOf(verb, first, second, picked, values[0] ?? "") : undefined)
  return found === undefined ? undefined : { permissionId, act: found }
}

const actOf = (
  verb: string,
  first: number,
  second: number,
  picked: ReadonlyArray<number>,
  text: string
): CardAction | undefined => {
  switch (verb) {
    case "o":
      return picked[0] === undefined ? undefined : { _tag: "Choose", option: picked[0] }
    case "p":
      return { _tag: "Turn", page: first }
    case "s":
      return { _tag: "Pick", step: first, page: second, picked }
    case "w":
      return { _tag: "Write", step: first }
    case "t":
      return { _tag: "Written", step: first, text }
    case "g":
      return { _tag: "Go", step: first, page: second }
    case "f":
      return { _tag: "Send" }
    case "n":
      return { _tag: "Decline" }
    default:
      return undefined
  }
}

/** Whether an answer says yes to what the agent asked. */
export const allows = ({ options }: Pick<PermissionRow, "options">, answer: PersonsAnswer): boolean => {
  switch (answer._tag) {
    case "Selected":
      return options.find(({ optionId }) => optionId === answer.optionId)?.kind.startsWith("allow") === true
    case "Declined":
      return false
    case "Answered":
      return true
  }
}

/** What an action makes of a request: an answer or a changed draft; `Misfit` when the request has no such option or question. */
export type ActionResult =
  | { readonly _tag: "Answer"; readonly answer: PersonsAnswer }
  | { readonly _tag: "Draft"; readonly draft: AnswerDraft; readonly problem?: Problem }
  | { readonly _tag: "Misfit" }

/** Why answers cannot be sent as they are. */
export type Problem = Question.AnswerProblem | { readonly _tag: "NothingAnswered" }

/** Applies an action to a row, whether the row is open or not. */
export const apply = (row: PermissionRow, act: CardAction): ActionResult => {
  switch (act._tag) {
    case "Choose": {
      const option = row.options[act.option]
      return option === undefined ? misfit : answer({ _tag: "Selected", optionId: option.optionId })
    }
    case "Turn":
      return draft({ ...row, page: within(act.page, pages(row.options.length)) })
    case "Pick":
      return pick(row, act)
    case "Written":
      return written(row, act)
    case "Go":
      return row.questions[act.step] === undefined
        ? misfit
        : draft({ draft: row.draft, step: act.step, page: act.page })
    case "Send":
      return send(row)
    case "Decline":
      return answer({ _tag: "Declined" })
    case "Write":
      return misfit
  }
}

/** The authors of each answer of a draft after an action; an answer with several choices has several authors. */
export const draftedBy = (row: PermissionRow, act: CardAction, { draft }: AnswerDraft, userId: string): DraftedBy => {
  const touched = act._tag === "Pick" || act._tag === "Written" ? row.questions[act.step]?.id : undefined
  return Object.fromEntries(
    Object.entries(draft).map(([id, value]) => {
      const before = row.draftedBy[id] ?? []
      if (id !== touched) return [id, before]
      return [id, Array.isArray(value) ? [...new Set([...before, userId])] : [userId]]
    })
  )
}

/** A draft without the answers of these people; it shows the first question that lost its answer. */
export const without = (
  row: PermissionRow,
  userIds: ReadonlyArray<string>
): AnswerDraft & { readonly draftedBy: DraftedBy } => {
  const stays = (id: string) => row.draftedBy[id]?.some((userId) => userIds.includes(userId)) !== true
  const kept = <A>(all: Readonly<Record<string, A>>) =>
    Object.fromEntries(Object.entries(all).filter(([id]) => stays(id)))
  const step = row.questions.findIndex(({ id }) => !stays(id))
  return { draft: kept(row.draft), draftedBy: kept(row.draftedBy), step: Math.max(0, step), page: 0 }
}

/** The words that a person wrote beside the options of a question. */
export const ownWords = (question: Question.Question, given: Question.Value | undefined): string => {
  if (given === undefined) return ""
  const values = Array.isArray(given) ? given : [String(given)]
  return values.filter((value) => !question.options.some((option) => option.value === value)).join("\n")
}

const misfit: ActionResult = { _tag: "Misfit" }

const answer = (given: PersonsAnswer): ActionResult => ({ _tag: "Answer", answer: given })

const draft = ({ draft, page, step }: AnswerDraft, problem?: Problem): ActionResult => ({
  _tag: "Draft",
  draft: { draft, page, step },
  ...(problem === undefined ? {} : { problem })
})

const pages = (options: number): number => Math.max(1, Math.ceil(options / pageSize))

const within = (page: number, count: number): number => Math.min(page, count - 1)

const pick = (row: PermissionRow, { page, picked, step }: Extract<CardAction, { _tag: "Pick" }>): ActionResult => {
  const question = row.questions[step]
  if (question === undefined) return misfit
  if (question.kind === "boolean") return moved(row, step, picked[0] === undefined ? undefined : picked[0] === 0)
  const chosen = picked.flatMap((index) => question.options[index]?.value ?? [])
  if (!question.multiSelect) return moved(row, step, chosen[0])
  // Of the other pages, and in the person's own words, everything stays.
  const offered = question.options.slice(page * pageSize, (page + 1) * pageSize).map(({ value }) => value)
  const before = listOf(Question.answerOf(row.draft, question.id)).filter((value) => !offered.includes(value))
  const all = new Set([...before, ...chosen])
  const known = question.options.map(({ value }) => value).filter((value) => all.has(value))
  const value = [...known, ...before.filter((each) => !known.includes(each))]
  return draft({ draft: withAnswer(row, question.id, value), step, page })
}

const written = (row: PermissionRow, { step, text }: Extract<CardAction, { _tag: "Written" }>): ActionResult => {
  const question = row.questions[step]
  if (question === undefined) return misfit
  const words = text.trim()
  const offered = new Set(question.options.map(({ value }) => value))
  const value = question.multiSelect
    ? [
        ...listOf(Question.answerOf(row.draft, question.id)).filter((each) => offered.has(each)),
        ...(words === "" ? [] : [words])
      ]
    : words
  const problem = Question.checkAnswer(question, value)
  // What was written is kept, so that it can be put right.
  if (problem !== undefined) return draft({ draft: withAnswer(row, question.id, value), step, page: row.page }, problem)
  return moved(row, step, value)
}

/** Keeps an answer and shows the next question, if there is one. */
const moved = (row: PermissionRow, step: number, value: Question.Value | undefined): ActionResult => {
  const id = row.questions[step]?.id ?? ""
  const next = step + 1 < row.questions.length ? { step: step + 1, page: 0 } : { step, page: row.page }
  return draft({ draft: withAnswer(row, id, value), ...next })
}

const send = (row: PermissionRow): ActionResult => {
  for (const [step, question] of row.questions.entries()) {
    const problem = Question.checkAnswer(question, Question.answerOf(row.draft, question.id))
    if (problem !== undefined) return draft({ draft: row.draft, step, page: 0 }, problem)
  }
  const answers = Question.toContent(row.questions, row.draft)
  // A form may be sent without answers; a question is declined instead.
  if (row.form !== "elicitation" && Object.keys(answers).length === 0) {
    return draft({ draft: row.draft, step: row.step, page: row.page }, { _tag: "NothingAnswered" })
  }
  return answer({ _tag: "Answered", answers })
}

const withAnswer = (row: PermissionRow, id: string, value: Question.Value | undefined): Question.Answers => {
  const { [id]: _, ...others } = row.draft
  const empty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
  return empty ? others : { ...others, [id]: value }
}

const listOf = (value: Question.Value | undefined): ReadonlyArray<string> =>
  value === undefined ? [] : Array.isArray(value) ? value : [String(value)]
