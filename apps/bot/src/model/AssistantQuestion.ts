import * as RequestDeadline from "@heddle/acp/RequestDeadline"
import { type AssistantMessage, textOf } from "@heddle/core/domain/AssistantMessage"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { lookup } from "../text/Lookup.ts"

const Choice = Schema.Struct({
  value: Schema.String,
  label: Schema.String,
  description: Schema.optional(Schema.String)
})

const Question = Schema.Struct({
  /** `q_0`, `q_1` and so on: the key of the answer. */
  id: Schema.String,
  question: Schema.String,
  header: Schema.optional(Schema.String),
  multiSelect: Schema.optionalWith(Schema.Boolean, { default: () => false }),
  options: Schema.Array(Choice)
})
export type Question = typeof Question.Type

/** A question message of the local assistant: all questions are answered at once, under its `requestId`. */
export const AssistantQuestion = Schema.Struct({
  /** Absent when it could not be found; the message cannot be answered here then. */
  requestId: Schema.optional(Schema.NonEmptyString),
  /** What the message says besides its questions. */
  text: Schema.optional(Schema.String),
  /** False when only the person at the computer can answer. */
  answerable: Schema.optionalWith(Schema.Boolean, { default: () => true }),
  questions: Schema.Array(Question),
  /**
   * Until when the assistant waits for the answer, if the message says it: in epoch milliseconds, and in a stored question
   * in milliseconds of the monotonic clock.
   */
  expiresAt: Schema.optional(Schema.Number),
  /** Since when the deadline of a stored question counts, in milliseconds of the monotonic clock. */
  askedAt: Schema.optional(Schema.Number)
})
export type AssistantQuestion = typeof AssistantQuestion.Type

/** The answers so far, by question: positions of the chosen options. */
export type Draft = Readonly<Record<string, ReadonlyArray<number>>>

/**
 * The question of a message; none for other messages. The service document does not define its form, so the questions may
 * stand anywhere in the metadata or in a block of the content. A message that is called a question, but has none that
 * can be read, is shown with its text.
 */
export const fromMessage = (message: AssistantMessage): Option.Option<AssistantQuestion> => {
  const parts = [placesIn(message.metadata), message.content.filter(isRecord).flatMap((fields) => placesIn(fields))]
  const places = parts.flat()
  const found = findQuestions(places)
  const requestId = [...(found === undefined ? [] : [found]), ...places, { requestId: found?.ownId }]
    .map((place) => place.requestId)
    .find((id) => id !== undefined)
  const questions = (found?.questions ?? []).map((question) =>
    question.question === "" ? { ...question, question: textOf(message).trim() } : question
  )
  const isForm = requestId !== undefined && questions.some(({ options }) => options.length > 0)
  if (!isForm && !isCalledQuestion(message)) return Option.none()
  const text = textBeside(questions, textOf(message))
  return Option.some({
    ...(requestId === undefined ? {} : { requestId }),
    ...(text === "" ? {} : { text }),
    answerable: found?.fields["answerable"] !== false && parts.every((part) => isWhole(questions, part)),
    questions
  })
}

/**
 * Adds until when the assistant waits for the answer to the question of a message that is read now. The message may be
 * hours old, so the time counts from its creation, if it tells that.
 */
export const withDeadline = (
  question: AssistantQuestion,
  { content, createdAt, metadata }: AssistantMessage,
  now: number
): AssistantQuestion => {
  const created = Date.parse(createdAt ?? "")
  const isKnown = !Number.isNaN(created)
  const askedAt = isKnown ? Math.min(created, now) : now
  const expiresAt = [metadata, ...content.filter(isRecord)]
    .flatMap((fields) => placesIn(fields))
    .map(({ fields }) => RequestDeadline.find(fields, askedAt, isKnown ? askedAt : 0))
    .find((at) => at !== undefined)
  return expiresAt === undefined ? question : { ...question, expiresAt }
}

/** Whether the time for the answer is over. */
export const isExpired = ({ expiresAt }: AssistantQuestion, now: number): boolean =>
  expiresAt !== undefined && expiresAt <= now

/** Whether the assistant still waits for the answer, as far as the message says. */
export const isOpen = ({ metadata }: AssistantMessage): boolean =>
  !closedStates.test(textIn(metadata, ["state", "status"]) ?? "")

/** Whether the selects of one message can answer it. */
export const isAnswerable = ({ answerable, questions, requestId }: AssistantQuestion): boolean =>
  answerable &&
  requestId !== undefined &&
  questions.length > 0 &&
  questions.length <= 5 &&
  questions.every(({ options }) => options.length > 0 && options.length <= 25)

/** The answers for the service; none while a question has no answer. */
export const answersOf = (
  { questions }: AssistantQuestion,
  draft: Draft
): Option.Option<Record<string, string | Array<string>>> => {
  const answers = questions.map(({ id, multiSelect, options }) => {
    const chosen = (lookup(draft, id) ?? []).flatMap((at) => options[at]?.value ?? [])
    return [id, multiSelect ? chosen : (chosen[0] ?? ""), chosen.length > 0] as const
  })
  return answers.every(([, , isAnswered]) => isAnswered)
    ? Option.some(Object.fromEntries(answers.map(([id, answer]) => [id, answer])))
    : Option.none()
}

type Fields = Readonly<Record<string, unknown>>

/** An object in a message, and the request id that it or an object around it has. */
interface Place {
  readonly fields: Fields
  readonly requestId: string | undefined
}

/** An object and those in it, outermost first. */
const placesIn = (fields: Fields, outerId?: string, depth = 12): ReadonlyArray<Place> => {
  const requestId = textIn(fields, ["requestId", "request_id", "questionnaireId", "questionnaire_id"]) ?? outerId
  const inner = depth === 0 ? [] : Object.values(fields).filter(isObject)
  return [{ fields, requestId }, ...inner.flatMap((each) => placesIn(each, requestId, depth - 1))]
}

/**
 * The first object with a list of questions, or else the first list or object that has several with options, or else the
 * first object with options, which is one question itself.
 */
const findQuestions = (places: ReadonlyArray<Place>) => {
  const withQuestions = (read: (fields: Fields) => ReadonlyArray<Question>) =>
    places
      .map((place) => ({ ...place, ownId: textIn(place.fields, ["id"]), questions: read(place.fields) }))
      .find(({ questions }) => questions.length > 0)
  return (
    withQuestions(({ questions }) => questionList(questions).flatMap(readQuestion)) ??
    withQuestions((fields) => questionsByKey(fields).flatMap(readQuestion)) ??
    withQuestions(({ properties }) => formFields(properties)) ??
    withQuestions((fields) => severalIn(fields)) ??
    withQuestions((fields) => readQuestion(fields, 0).filter(hasOptions))
  )
}

/** The fields of a form and of the forms in it, those without options among them. */
const formFields = (properties: unknown): ReadonlyArray<Question> => {
  const questions = named(properties).flatMap(readQuestion)
  return questions.some(hasOptions) ? questions : []
}

/** The members of an object, named by their keys; a form among them is its own fields. */
const named = (members: unknown): ReadonlyArray<unknown> =>
  isRecord(members)
    ? Object.entries(members).flatMap(([name, member]): ReadonlyArray<unknown> => {
        if (!isRecord(member)) return [typeof member === "string" ? { question: member } : { name }]
        return isRecord(member["properties"]) ? named(member["properties"]) : [{ name, ...member }]
      })
    : []

/** The questions of a list of which one has options, or those with options in an object. */
const severalIn = (fields: Fields): ReadonlyArray<Question> => {
  const questions = Array.isArray(fields)
    ? fields.flatMap(readQuestion)
    : Object.values(fields).filter(isRecord).flatMap(readQuestion).filter(hasOptions)
  return questions.length > 1 && questions.some(hasOptions) ? questions : []
}

/**
 * Whether an answer to the questions answers all that a part of the message asks, which may repeat them: each has a key of
 * its own, all belong to one request, and nothing else asks. A part of the answers could stand as the whole.
 */
const isWhole = (questions: ReadonlyArray<Question>, places: ReadonlyArray<Place>): boolean => {
  const asking = askingOf(places)
  const asked = [
    ...new Map(asking.map(({ fields }) => [JSON.stringify(fields), readQuestion(fields, 0)])).values()
  ].flat()
  const listed = places.flatMap(({ fields }) => questionList(fields["questions"]).flatMap(readQuestion))
  const isShown = ({ options, question }: Question) =>
    questions.some((each) => hasSameOptions(each, { options }) && (question === "" || question === each.question))
  return (
    new Set(questions.map(({ id }) => id)).size === questions.length &&
    new Set(asking.flatMap(({ requestId }) => requestId ?? [])).size <= 1 &&
    places.every(({ fields }) => (optionList(fields) ?? []).every((choice) => readChoice(choice).length > 0)) &&
    [...asked, ...listed].every(isShown) &&
    asked.every((one) => count(asked, one) <= count(questions, one))
  )
}

/** The objects that ask: with options, or like an input and without such an object in it. */
const askingOf = (places: ReadonlyArray<Place>): ReadonlyArray<Place> => {
  // The items of a list and the choices are part of their object.
  const parts = new Set(places.flatMap(({ fields }) => [fields["items"], ...(optionList(fields) ?? [])]))
  const toolInputs = toolInputsIn(places)
  const asks = ({ fields }: Place) =>
    isRecord(fields) &&
    !parts.has(fields) &&
    (readQuestion(fields, 0).some(hasOptions) || (isInput(fields) && !toolInputs.has(fields)))
  return places.filter(
    (place) =>
      asks(place) && (readQuestion(place.fields, 0).some(hasOptions) || !placesIn(place.fields).slice(1).some(asks))
  )
}

/** What tools get: its `question` or `label` is not for the person, unless the tool offers choices. */
const toolInputsIn = (places: ReadonlyArray<Place>): ReadonlySet<Fields> =>
  new Set(
    places
      .flatMap(({ fields }) => {
        const isOfTool = textIn(fields, ["toolName", "tool_name", "tool"]) !== undefined
        return Object.entries(fields)
          .filter(([name]) => toolNames.test(name) || (isOfTool && inputNames.test(name)))
          .flatMap(([, value]) => (isObject(value) ? [placesIn(value)] : []))
      })
      .filter((inner) => !inner.some(({ fields }) => readQuestion(fields, 0).some(hasOptions)))
      .flatMap((inner) => inner.map(({ fields }) => fields))
  )

const toolNames = /^(tool(_?(call|use|input))?|function(_?call)?|raw_?input|arguments|args)$/i

const inputNames = /^(input|param(eter)?s)$/i

/** Whether an object is like one that a person fills in. */
const isInput = (fields: Fields): boolean => {
  const type = textIn(fields, ["type"]) ?? ""
  return (
    ["question", "prompt", "label", "placeholder", "required"].some((name) => lookup(fields, name) !== undefined) ||
    inputTypes.test(type) ||
    // With a text, it is a block of text.
    (type === "text" && lookup(fields, "text") === undefined)
  )
}

const inputTypes =
  /^(string|number|integer|boolean|(free_?|plain_?)?text_?(area|box|field|input)|free_?text|input|password|email|date|checkbox|radio|(multi_?)?select)$/i

const count = (questions: ReadonlyArray<Question>, one: Question): number =>
  questions.filter((each) => hasSameOptions(each, one)).length

const hasSameOptions = (one: Pick<Question, "options">, other: Pick<Question, "options">): boolean =>
  JSON.stringify(one.options.map(({ value }) => value)) === JSON.stringify(other.options.map(({ value }) => value))

const hasOptions = ({ options }: Question): boolean => options.length > 0

const isReadable = ({ options, question }: Question): boolean => question !== "" || options.length > 0

/** The questions of a list, or of an object that has them by their keys. */
const questionList = (questions: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(questions)) return questions
  if (!isRecord(questions)) return []
  const byKey = questionsByKey(questions)
  if (byKey.length > 0) return byKey
  if (readQuestion(questions, 0).some(isReadable)) return [questions]
  return named(questions["properties"] ?? questions)
}

/** The fields of an object that are called as the keys of answers are. */
const questionsByKey = (fields: Fields): ReadonlyArray<unknown> =>
  Object.entries(fields)
    .filter(([key]) => answerKey.test(key))
    .flatMap(([id, value]) => (isRecord(value) ? [{ ...value, id }] : [{ question: value, id }]))

/** The key of an answer: `q_0`, `q_1` and so on. */
const answerKey = /^q_\d+$/

/** Reads one question; its key is its position unless it has such a key itself. */
const readQuestion = (raw: unknown, position: number): ReadonlyArray<Question> => {
  const fields: Fields = isRecord(raw) ? raw : { question: raw }
  const options = (optionList(fields) ?? (isRecord(fields["items"]) ? optionList(fields["items"]) : []) ?? []).flatMap(
    readChoice
  )
  const question = textIn(fields, textNames) ?? textIn(toolCallOf(fields), ["title", "name"]) ?? ""
  // An object in a list asks something, also when that cannot be read.
  if (question === "" && options.length === 0 && !isRecord(raw)) return []
  const id = textIn(fields, ["id", "key"])
  const header = textIn(fields, ["header", "title"])
  return [
    {
      id: id !== undefined && answerKey.test(id) ? id : `q_${position}`,
      question,
      ...(header === undefined || header === question ? {} : { header }),
      multiSelect: isMultiple(fields),
      options
    }
  ]
}

/** The options of a question; a schema calls them as the last three names. */
const optionList = (fields: Fields): ReadonlyArray<unknown> | undefined =>
  ["options", "choices", "enum", "oneOf", "anyOf"].map((name) => lookup(fields, name)).find(Array.isArray)

const readChoice = (raw: unknown): ReadonlyArray<typeof Choice.Type> => {
  const fields: Fields = isRecord(raw) ? raw : { value: raw }
  const value = textIn(fields, ["value", "const", "optionId", "option_id", "label", "name", "title", "text", "id"])
  if (value === undefined) return []
  const description = textIn(fields, ["description", "kind"])
  return [
    {
      value,
      label: textIn(fields, ["label", "name", "title", "text"]) ?? value,
      ...(description === undefined ? {} : { description })
    }
  ]
}

const isMultiple = (fields: Fields): boolean =>
  ["multiSelect", "multi_select", "multiple"].some((name) => fields[name] === true) ||
  /^(multi|checkbox|array)/i.test(textIn(fields, ["type", "kind"]) ?? "")

const toolCallOf = ({ toolCall, tool_call: snakeCase }: Fields): Fields => [toolCall, snakeCase].find(isRecord) ?? {}

/** The lines of a message that its questions do not repeat. */
const textBeside = (questions: ReadonlyArray<Question>, text: string): string => {
  const shown = new Set(questions.flatMap(({ question }) => question.split("\n").map((line) => line.trim())))
  return text
    .split("\n")
    .filter((line) => !shown.has(line.trim()))
    .join("\n")
    .trim()
}

const isCalledQuestion = ({ metadata, msgType = "" }: AssistantMessage): boolean =>
  [msgType, textIn(metadata, ["msgType", "kind", "type"]) ?? ""].some((name) => questionNames.test(name))

const questionNames = /^(questionnaire|question|permission_?request|tool_?approval|approval_?request|elicitation)$/i

const closedStates = /^(answered|closed|resolved|withdrawn|expired|cancell?ed|timed_?out|done|completed)$/i

const textNames = ["question", "prompt", "text", "message", "label", "title", "name", "description"]

/** The first of these fields that holds a text; numbers and booleans are texts, too. */
const textIn = (fields: Fields, names: ReadonlyArray<string>): string | undefined =>
  names
    .map((name) => lookup(fields, name))
    .map((value) => (["string", "number", "boolean"].includes(typeof value) ? String(value).trim() : ""))
    .find((text) => text !== "")

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

const isRecord = (value: unknown): value is Fields => isObject(value) && !Array.isArray(value)
