import type * as SessionState from "@heddle/acp/SessionState"
import { type InboxEntry, isLateOutput, turnKind } from "../../../store/Inbox.ts"
import type { Baseline, ShownText, TurnRow } from "../../../store/Turns.ts"
import type { Findings } from "../../machine/Event.ts"
import * as AgentText from "./AgentText.ts"
import * as SessionPrompts from "./SessionPrompts.ts"
import { isJoinable } from "./SessionPlace.ts"

/** Where a turn begins among the entries of the agent. */
export interface Start {
  readonly skip: number
  /** How many characters of the first entry come before the turn: some replays join messages. */
  readonly skippedChars?: number | undefined
}

/** The entries of the agent that belong to a turn: those after the first `skip`, up to the next turn if there is one. */
export interface Extent extends Start {
  readonly until?: number | undefined
  /** Begins the ids of what is shown from now on: the session no longer has what the turn has shown before. */
  readonly idPrefix?: string | undefined
  /** The keys of the posts that the turn had when its session was loaded: they stay in their places. */
  readonly posted?: ReadonlySet<string> | undefined
  /** Late output of the turn before that is not shown yet. */
  readonly lateOutput?: string | undefined
  /** How much of the text is shown by the turn before: only what comes after it is shown. */
  readonly alreadyShown?: ShownText | undefined
}

/** What the history of the session tells about prompts. */
export type History =
  /** It holds nothing, and held nothing before the turn: some services replay nothing. */
  | "Empty"
  /** It holds messages of users. */
  | "WithUserMessages"
  /** It holds no message of a user, and held something before: some agents leave those out of a replay. */
  | "WithoutUserMessages"

/**
 * What a session shows of a turn's prompt. `hasShown`: the turn has shown words of the agent before. `isHeld`: the service
 * has confirmed that it holds the first prompt. It then keeps every prompt; otherwise an empty history proves nothing.
 */
export const findings = (
  session: SessionState.SessionState,
  { baseline, hasShown, isHeld }: { readonly baseline: Baseline; readonly hasShown: boolean; readonly isHeld: boolean }
): Findings => {
  const history = historyOf(session, baseline)
  // The service may run a first prompt later.
  const provesAbsence =
    history === "WithUserMessages" && baseline.first === undefined && SessionPrompts.isAbsent(session, baseline)
  return {
    hasArrived: hasShown || hasArrived(session, baseline),
    isComplete: provesAbsence || (history === "Empty" && isHeld)
  }
}

/** What the history of a session tells about prompts. */
export const historyOf = (session: SessionState.SessionState, { items, prompts }: Baseline): History => {
  if (SessionPrompts.count(session) > 0) return "WithUserMessages"
  return countAgentEntries(session) + items + prompts > 0 ? "WithoutUserMessages" : "Empty"
}

/**
 * Whether a session surely holds the prompt of a turn. A session without user messages holds it when the agent has said
 * anything since the turn began.
 */
export const hasArrived = (session: SessionState.SessionState, baseline: Baseline): boolean => {
  if (SessionPrompts.count(session) === 0) return hasAnswer(session, startOf(session, baseline))
  if (baseline.asked !== undefined) return SessionPrompts.find(session, baseline) !== undefined
  return baseline.first === undefined
    ? SessionPrompts.count(session) > baseline.prompts
    : SessionPrompts.findFirst(session, baseline.first) !== undefined
}

/**
 * Whether a session that was opened after a turn shows the turn's prompt. `firstPrompt` is the text of a prompt that
 * created its task, for which no baseline has the words.
 */
export const showsPrompt = (
  session: SessionState.SessionState,
  baseline: Baseline,
  firstPrompt: string | undefined,
  promptKey: string
): boolean => {
  if (session.entries.some((entry) => SessionPrompts.keysOf(entry).includes(promptKey))) return true
  const asked =
    baseline.asked ??
    (firstPrompt === undefined ? undefined : { after: 0, words: SessionPrompts.firstWords(firstPrompt) })
  return asked !== undefined && SessionPrompts.find(session, { ...baseline, asked }) !== undefined
}

/**
 * How many entries of the agent come before the answer to a turn's prompt. Answers to other people's prompts do not
 * belong to the turn: while the session holds only those, it is Infinity.
 */
export const entriesBefore = (session: SessionState.SessionState, baseline: Baseline): number =>
  startOf(session, baseline).skip

/** Whether a session holds new prompts, but not the prompt of the turn. */
export const hasOnlyOtherPrompts = (session: SessionState.SessionState, baseline: Baseline): boolean =>
  SessionPrompts.count(session) > baseline.prompts && entriesBefore(session, baseline) === Infinity

/**
 * Where the answer to a turn's prompt begins in a session; see {@link entriesBefore}. `hasShown`: words of that answer are
 * shown, so that a message that may be the prompt is the prompt.
 */
export const startOf = (session: SessionState.SessionState, baseline: Baseline, hasShown = false): Start => {
  const { asked, first, items } = baseline
  const promptIndex =
    first === undefined ? SessionPrompts.find(session, baseline, hasShown) : SessionPrompts.findFirst(session, first)
  if (promptIndex !== undefined)
    return { skip: countAgentEntries({ ...session, entries: session.entries.slice(0, promptIndex) }) }
  // What a session with user messages, but without this prompt, holds is no answer to it.
  if ((asked ?? first) !== undefined && SessionPrompts.count(session) > 0) return { skip: Infinity }
  return (
    joinedStart(session, baseline) ??
    openStart(session, baseline) ??
    startAfterText(session, baseline) ?? { skip: items }
  )
}

/** Where late output after a turn begins: also after one whose prompt never arrived. */
export const lateStartOf = (session: SessionState.SessionState, baseline: Baseline): Start =>
  entriesBefore(session, baseline) === Infinity && !hasOnlyOtherPrompts(session, baseline)
    ? { skip: baseline.items }
    : startOf(session, baseline, true)

/** Where a turn begins inside an entry, to which a replay without user messages has joined the words before the turn. */
const joinedStart = (session: SessionState.SessionState, { said }: Baseline): Start | undefined => {
  const last = lastEntryBefore(session, said)
  return last !== undefined && last.charsBefore < last.length
    ? { skip: last.index, skippedChars: last.charsBefore }
    : undefined
}

/** Where a turn begins after the words and steps before it: a replay without user messages may have joined those. */
const startAfterText = (session: SessionState.SessionState, { said }: Baseline): Start | undefined => {
  const last = lastEntryBefore(session, said)
  if (last === undefined || said?.steps === undefined) return undefined
  let skip = last.index + 1
  for (let left = said.steps; left > 0 && isStepOrThought(session.entries[skip]); skip++)
    if (isStep(session.entries[skip])) left--
  return { skip }
}

/** The entry of a session without user messages that ends, or has in it, the end of the agent's text before a turn. */
const lastEntryBefore = (session: SessionState.SessionState, said: Baseline["said"]) => {
  if (
    said === undefined ||
    said.chars === 0 ||
    SessionPrompts.count(session) > 0 ||
    !AgentText.beginsWith(session, said)
  )
    return undefined
  let chars = 0
  const index = session.entries.findIndex((entry) => (chars += AgentText.ofEntry(entry).length) >= said.chars)
  const entry = session.entries[index]
  if (entry === undefined) return undefined
  const { length } = AgentText.ofEntry(entry)
  return { index, length, charsBefore: length - (chars - said.chars) }
}

const isStep = (entry: SessionState.Entry | undefined): boolean => entry !== undefined && entry._tag !== "Message"

const isStepOrThought = (entry: SessionState.Entry | undefined): boolean =>
  isStep(entry) || (entry?._tag === "Message" && entry.role === "thought")

/** How many tool calls and notices come after the last words of the agent. */
const countStepsAtEnd = ({ entries }: SessionState.SessionState): number =>
  entries.slice(entries.findLastIndex((entry) => AgentText.ofEntry(entry) !== "") + 1).filter(isStep).length

/** Where a turn without words begins: at the end of the last message, which a replay without user messages leaves open. */
const openStart = (session: SessionState.SessionState, { said }: Baseline): Start | undefined => {
  const last = session.entries.at(-1)
  if (
    said === undefined ||
    SessionPrompts.count(session) > 0 ||
    !isJoinable(last) ||
    !AgentText.beginsWith(session, said)
  )
    return undefined
  if (AgentText.ofEntries(session.entries).join("").length !== said.chars) return undefined
  return { skip: session.entries.length - 1, skippedChars: last.text.length }
}

/** Whether a replay without user messages lacks what the session held before a turn. */
export const hasForgotten = (session: SessionState.SessionState, baseline: Baseline): boolean =>
  SessionPrompts.count(session) === 0 &&
  baseline.items > 0 &&
  (baseline.said === undefined || baseline.said.chars === 0
    ? countAgentEntries(session) < baseline.items
    : !AgentText.beginsWith(session, baseline.said))

/** What the session holds before a turn that begins now, after `previousTurn`. */
export const baselineOf = (
  entry: InboxEntry,
  session: SessionState.SessionState,
  previousTurn: TurnRow | undefined
): Baseline => {
  const { baseline, shown } = previousTurn ?? {}
  const start = baseline === undefined ? { skip: 0 } : lateStartOf(session, baseline)
  if (isLateOutput(entry) && shown !== undefined) {
    const said = baseline?.said === undefined ? {} : { said: baseline.said }
    // Nothing late is left of a turn that is not found.
    const items = Number.isFinite(start.skip) ? start.skip : countAgentEntries(session)
    return { items, prompts: SessionPrompts.count(session), alreadyShown: shown, ...said }
  }
  if (turnKind(entry) === "OpenedTask") return lastTurnBaseline(session)
  if (entry.first) {
    const first = SessionPrompts.firstWords(entry.content)
    return { items: 0, prompts: 0, ...(first === "" ? {} : { first }) }
  }
  const lateOutput = shown === undefined ? undefined : lateOutputText(session, start, shown)
  const text = AgentText.ofEntries(session.entries).join("")
  return {
    items: countAgentEntries(session),
    prompts: SessionPrompts.count(session),
    said: { chars: text.length, hash: AgentText.hashOf(text), steps: countStepsAtEnd(session) },
    ...(lateOutput === undefined ? {} : { lateText: lateOutput })
  }
}

/** Where a turn ends among the entries of the agent; `next` is the baseline of the turn after it. */
export const endBefore = (session: SessionState.SessionState, next: Baseline | undefined): number | undefined => {
  if (next === undefined || next.alreadyShown !== undefined) return undefined
  const { skip, skippedChars } = startOf(session, next, true)
  // An entry of both turns.
  return skippedChars === undefined ? skip : skip + 1
}

/** The agent's entries of an ended turn; `next` is where the turn after it began. Empty when the session lost them. */
export const entriesOfEnded = (
  session: SessionState.SessionState,
  baseline: Baseline,
  next: Baseline | undefined
): ReadonlyArray<SessionState.Entry> => {
  if (hasForgotten(session, baseline)) return []
  const { skip } = startOf(session, baseline, true)
  const until = endBefore(session, next) ?? Infinity
  const found: Array<SessionState.Entry> = []
  let count = 0
  for (const entry of session.entries) {
    if (SessionPrompts.isPrompt(entry)) {
      if (found.length > 0) break
    } else if (count++ >= skip && count <= until) found.push(entry)
  }
  return found
}

/** Whether the agent said or did something in a turn. */
export const hasAnswer = (
  { entries }: SessionState.SessionState,
  { skip, skippedChars = 0, until }: Extent
): boolean => {
  const [first, ...rest] = entries.filter((entry) => !SessionPrompts.isPrompt(entry)).slice(skip, until)
  if (first === undefined) return false
  return rest.length > 0 || skippedChars === 0 || first._tag !== "Message" || first.text.length > skippedChars
}

/**
 * How much of the agent's text a turn has shown: what comes after it is late output. The service may run a `first` prompt
 * later, which is then the turn's own.
 */
export const shownText = (
  state: SessionState.SessionState,
  extent: Extent,
  { first }: Pick<InboxEntry, "first">
): ShownText => {
  const text = textsFrom(state.entries, extent).join("")
  return {
    prompts: Math.max(SessionPrompts.count(state), first ? 1 : 0),
    chars: text.length,
    hash: AgentText.hashOf(text)
  }
}

/** The place of a first prompt, and what is shown of its answer, where its session was never open. */
export const unopened = {
  baseline: { items: 0, prompts: 0 },
  shown: { prompts: 1, chars: 0, hash: AgentText.hashOf("") }
} satisfies { readonly baseline: Baseline; readonly shown: ShownText }

/**
 * The agent's text after a turn's end and before the next prompt; the turn began at `start`.
 * Undefined without such text, and when the session has other words than those shown.
 */
export const lateOutputText = (
  { entries }: SessionState.SessionState,
  start: Start,
  { chars, hash, prompts }: ShownText
): string | undefined => {
  let promptCount = 0
  const next = entries.findIndex((entry) => SessionPrompts.isPrompt(entry) && ++promptCount > prompts)
  const entriesOfTurn = next === -1 ? entries : entries.slice(0, next)
  const texts = textsFrom(entriesOfTurn, { skip: start.skip, skippedChars: start.skippedChars })
  if (texts.reduce((sum, text) => sum + text.length, 0) <= chars) return undefined
  if (AgentText.hashOf(texts.join("").slice(0, chars)) !== hash) return undefined
  let shownChars = 0
  const rest = texts.flatMap((text) => {
    const from = Math.max(0, chars - shownChars)
    shownChars += text.length
    const unseen = text.slice(from)
    return unseen.trim() === "" ? [] : [unseen]
  })
  return rest.length === 0 ? undefined : rest.join("\n\n")
}

/** How many entries of a session are the agent's. */
export const countAgentEntries = ({ entries }: Pick<SessionState.SessionState, "entries">): number =>
  entries.filter((entry) => !SessionPrompts.isPrompt(entry)).length

/** Counts what a session held before its last prompt. */
const lastTurnBaseline = (state: SessionState.SessionState): { readonly items: number; readonly prompts: number } => {
  const last = state.entries.findLastIndex(SessionPrompts.isPrompt)
  const before = { entries: state.entries.slice(0, Math.max(0, last)) }
  return { items: countAgentEntries(before), prompts: SessionPrompts.count(before) }
}

/** The agent's texts in a turn. */
const textsFrom = (
  entries: ReadonlyArray<SessionState.Entry>,
  { skip, skippedChars = 0, until }: Extent
): ReadonlyArray<string> => {
  const [first, ...rest] = AgentText.ofEntries(
    entries.filter((entry) => !SessionPrompts.isPrompt(entry)).slice(skip, until)
  )
  return first === undefined ? [] : [first.slice(skippedChars), ...rest]
}
