import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { findCourtesy } from "./Courtesy.ts"
import { unanswerable, type Intent, type ParsedRequest } from "./Intent.ts"
import { splitOutsideQuotes } from "./Quotes.ts"

/** Parses the parts of a request. */
export interface PartParser {
  /** Parses an independent part; undefined when it is not understood. */
  readonly parse: (part: string) => ParsedRequest | undefined
  /** The person's own words for a part. */
  readonly original: (part: string) => string
  /** Tells whether a part continues the previous one, as a further condition or column does. */
  readonly continuesPrevious: (part: string) => boolean
}

/**
 * Parses each part of a request whose parts are joined by "and", commas or ends of sentences.
 * Undefined when there is only one part, or none is understood. Notes name the parts that are not done; when several
 * are refused and none is left, their reasons are the answer.
 */
export const parseParts = (text: string, parser: PartParser): ParsedRequest | undefined => {
  const pieces = splitOutsideQuotes(text, SEPARATORS)
  if (pieces.length > MAX_PIECES) return undefined
  const parts: Array<string> = []
  let separator = ""
  for (const piece of pieces) {
    const previous = parts.at(-1)
    if (SEPARATOR.test(piece)) separator = piece
    else if (previous !== undefined && belongsToPrevious(previous, piece, parser))
      parts[parts.length - 1] = joinParts(previous, separator, piece)
    else parts.push(piece)
  }
  if (parts.length < 2) return undefined
  const parsedParts = parts.map((part) => ({ part, parsed: parser.parse(part) }))
  const requests = parsedParts.flatMap(({ parsed }) =>
    parsed === undefined || parsed.intent.kind === "cannot" ? [] : [parsed]
  )
  const omittedNotes = parsedParts.flatMap(({ part, parsed }) => {
    if (parsed === undefined)
      return asksNothing(part)
        ? []
        : [omittedNote(parser.original(part), Language.text("I did not understand it.", "我没有看懂。"))]
    return parsed.intent.kind === "cannot" ? [omittedNote(parser.original(part), parsed.intent.reason)] : []
  })
  if (requests.length === 0) {
    const refused = parsedParts.filter(({ parsed }) => parsed !== undefined)
    return refused.length < 2 ? undefined : unanswerable(omittedNotes.slice(0, MAX_NOTES).join(Language.text(" ", "")))
  }
  const combined = combine(requests)
  const surplusNote =
    omittedNotes.length > MAX_NOTES
      ? [
          Language.text(
            `${Markdown.plural(omittedNotes.length - MAX_NOTES, "more part")} of your request I left out as well.`,
            `您的请求还有 ${omittedNotes.length - MAX_NOTES} 个部分也略去了。`
          )
        ]
      : []
  return { ...combined, notes: [...combined.notes, ...omittedNotes.slice(0, MAX_NOTES), ...surplusNote] }
}

/** Each part is compared with all values of the data, so a request with more parts is not split. */
const MAX_PIECES = 16
const MAX_NOTES = 3
const SEPARATORS =
  /(\s*[,;]\s+(?:(?:and|then|also)\s+)*|[.?!]\s+|(?<=\b(?:rows?|data|filters?|again|reset|everything))\s*:\s+|\s+(?:and|then|und|plus)\s+(?:(?:then|also)\s+)*)/i
const SEPARATOR = /^(?:[,;.?!:]\s*)?(?:(?:and|then|also|und|plus)\s*)*$/i
const FILLER =
  /^(?:here(?:'s| is| are| you)\b|this is\b|that is\b|it(?:'s| is)\b|i (?:have|am|got)\b|we (?:have|are)\b|(?:attached|thanks?|thank you|hi|hello|hey|please|again)(?: .{0,12})?$)/i

const asksNothing = (part: string): boolean => FILLER.test(part) || findCourtesy(part) !== undefined

/** A condition continues after any separator; a question only with a part that is no question or condition itself. */
const belongsToPrevious = (previous: string, part: string, { parse, continuesPrevious }: PartParser): boolean => {
  const previousRequest = parse(previous)
  const request = parse(part)
  if (previousRequest === undefined) return !asksNothing(previous) && continuesPrevious(part)
  if (previousRequest.filters.length > 0) return request === undefined || continuesPrevious(part)
  if (previousRequest.intent.kind === "cannot") return continuesPrevious(part)
  const standsAlone =
    request?.intent.kind === "rows" ||
    (previousRequest.intent.kind === "describe" && request?.intent.kind === "describe")
  return !standsAlone && continuesPrevious(part)
}

const joinParts = (previous: string, separator: string, part: string): string =>
  `${previous}${/^[,;.?!:]/.test(separator) ? "" : " "}${separator} ${part}`

const omittedNote = (part: string, reason: string): string =>
  Language.text(
    `I left out “${Markdown.escapeText(part, 60)}”: ${reason}`,
    `我略去了“${Markdown.escapeText(part, 60)}”：${reason}`
  )

/** Merges the parts into one request: conditions apply to all of them, and at most one chart is drawn. */
const combine = (requests: ReadonlyArray<ParsedRequest>): ParsedRequest => {
  const notes: Array<string> = requests.flatMap((part) => part.notes)
  const intents = requests.flatMap((part) => [part.intent, ...(part.otherIntents ?? [])])
  // Picking rows is no answer of its own when something is asked about them.
  const questions = intents.filter((intent) => intent.kind !== "rows")
  const includesProfile = questions.some((intent) => intent.kind === "profile")
  const charts = withoutRepeats(questions.filter((intent) => intent.kind === "chart"))
  const textIntents = withoutRepeats(questions.filter((intent) => intent.kind !== "profile" && intent.kind !== "chart"))
  if (charts.length > 1)
    notes.push(
      Language.text(
        "I draw one chart at a time, the first one here; ask for the next one after it.",
        "我一次画一张图，这里先画第一张；之后请再要下一张。"
      )
    )
  const [chart] = charts
  const chartIntent: Intent | undefined = includesProfile ? { kind: "profile", plan: chart?.plan } : chart
  const [first = { kind: "rows" as const }, ...rest] =
    chartIntent === undefined ? textIntents : [chartIntent, ...textIntents]
  return {
    intent: first,
    otherIntents: rest,
    filters: requests.flatMap((part) => part.filters),
    reset: requests.some((part) => part.reset),
    notes
  }
}

const withoutRepeats = <A extends Intent>(intents: ReadonlyArray<A>): ReadonlyArray<A> => {
  const intentByJson = new Map(intents.map((intent) => [JSON.stringify(intent), intent]))
  return [...intentByJson.values()]
}
