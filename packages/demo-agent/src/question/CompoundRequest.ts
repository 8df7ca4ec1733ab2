import * as Markdown from "../format/Markdown.ts"
import type { Intent, ParsedRequest } from "./Intent.ts"
import { splitOutsideQuotes } from "./Quotes.ts"

/** How one part of a request is parsed. */
export interface PartParser {
  /** A part that stands for itself; undefined when it is not understood. */
  readonly one: (part: string) => ParsedRequest | undefined
  /** A part that belongs to the one before it, such as a further condition or column. */
  readonly continues: (part: string) => boolean
}

/**
 * Parses a request whose parts are joined by "and", commas or ends of sentences, each part for itself.
 * Undefined when it has one part, or none that is understood; parts that are not understood are named in the notes.
 */
export const parseParts = (text: string, parser: PartParser): ParsedRequest | undefined => {
  const pieces = splitOutsideQuotes(text, JOINTS)
  if (pieces.length > MAX_PIECES) return undefined
  const parts: Array<string> = []
  let joint = ""
  for (const piece of pieces) {
    const last = parts.at(-1)
    if (JOINT.test(piece)) joint = piece
    else if (last !== undefined && belongs(last, piece, parser)) parts[parts.length - 1] = glue(last, joint, piece)
    else parts.push(piece)
  }
  if (parts.length < 2) return undefined
  const read = parts.map((part) => ({ part, parsed: parser.one(part) }))
  const known = read.flatMap(({ parsed }) => (parsed === undefined || parsed.intent.do === "cannot" ? [] : [parsed]))
  if (known.length === 0) return undefined
  const left = read.flatMap(({ part, parsed }) => {
    if (parsed === undefined) return FILLER.test(part) ? [] : [leftOut(part, "I did not understand it.")]
    return parsed.intent.do === "cannot" ? [leftOut(part, parsed.intent.why)] : []
  })
  const combined = combine(known)
  const more =
    left.length > 3 ? [`${Markdown.plural(left.length - 3, "more part")} of your request I left out as well.`] : []
  return { ...combined, notes: [...combined.notes, ...left.slice(0, 3), ...more] }
}

/** Every part is held against all the values of the data; a request with more of them is no list of questions. */
const MAX_PIECES = 16
const JOINTS =
  /(\s*[,;]\s+(?:(?:and|then|also)\s+)*|[.?!]\s+|(?<=\b(?:rows?|data|filters?|again|reset|everything))\s*:\s+|\s+(?:and|then|und|plus)\s+(?:(?:then|also)\s+)*)/i
const JOINT = /^(?:[,;.?!:]\s*)?(?:(?:and|then|also|und|plus)\s*)*$/i
const FILLER =
  /^(?:here(?:'s| is| are| you)\b|this is\b|that is\b|it(?:'s| is)\b|i (?:have|am|got)\b|we (?:have|are)\b|(?:attached|thanks?|thank you|hi|hello|hey|please|again)(?: .{0,12})?$)/i

/** A condition goes on over any joint, a question only with what is neither a question nor a condition of its own. */
const belongs = (before: string, part: string, { one, continues }: PartParser): boolean => {
  const first = one(before)
  const next = one(part)
  if (first === undefined) return !FILLER.test(before) && continues(part)
  if (first.filters.length > 0) return next === undefined || continues(part)
  if (first.intent.do === "cannot") return continues(part)
  const alone = next?.intent.do === "rows" || (first.intent.do === "describe" && next?.intent.do === "describe")
  return !alone && continues(part)
}

const glue = (before: string, joint: string, part: string): string =>
  `${before}${/^[,;.?!:]/.test(joint) ? "" : " "}${joint} ${part}`

const leftOut = (part: string, why: string): string => `I left out “${Markdown.cell(part, 60)}”: ${why}`

/** All that was asked as one: conditions hold for every part, and one picture is drawn at most. */
const combine = (known: ReadonlyArray<ParsedRequest>): ParsedRequest => {
  const notes: Array<string> = known.flatMap((part) => part.notes)
  const asked = known.flatMap((part) => [part.intent, ...(part.also ?? [])])
  // Picking rows is no answer of its own when something is asked about them.
  const questions = asked.filter((intent) => intent.do !== "rows")
  const profiles = questions.some((intent) => intent.do === "profile")
  const charts = distinct(questions.filter((intent) => intent.do === "chart"))
  const also = distinct(questions.filter((intent) => intent.do !== "profile" && intent.do !== "chart"))
  if (charts.length > 1) notes.push("I draw one chart at a time, the first one here; ask for the next one after it.")
  const [chart] = charts
  const picture: Intent | undefined = profiles ? { do: "profile", plan: chart?.plan } : chart
  const [first = { do: "rows" as const }, ...rest] = picture === undefined ? also : [picture, ...also]
  return {
    intent: first,
    also: rest,
    filters: known.flatMap((part) => part.filters),
    reset: known.some((part) => part.reset),
    notes
  }
}

const distinct = <A extends Intent>(intents: ReadonlyArray<A>): ReadonlyArray<A> => {
  const seen = new Map(intents.map((intent) => [JSON.stringify(intent), intent]))
  return [...seen.values()]
}
