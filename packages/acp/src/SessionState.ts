import type { Update } from "./schema/Update.ts"
import * as AlignReplay from "./internal/fold/AlignReplay.ts"
import * as SplitReplay from "./internal/fold/SplitReplay.ts"
import * as UnreplayedCalls from "./internal/fold/UnreplayedCalls.ts"
import * as SessionFold from "./SessionFold.ts"
import type { Entry, Message, Role, SessionState, ToolCall } from "./SessionModel.ts"

export type { Entry, Message, Notice, Role, SessionState, ToolCall } from "./SessionModel.ts"

/** The state of an unknown session. */
export const empty: SessionState = {
  entries: [],
  plan: [],
  commands: [],
  modes: [],
  models: [],
  configOptions: [],
  permissions: [],
  running: false
}

/** Folds updates into a state; the same updates give the same state, in pieces of any size. */
export const fold = (state: SessionState, updates: Iterable<Update>): SessionState => {
  const folding = SessionFold.make(state)
  for (const update of updates) folding.apply(update)
  return folding.state()
}

/** The messages of one role, or of all. */
export const messages = (state: SessionState, role?: Role): ReadonlyArray<Message> =>
  state.entries.filter((entry) => entry._tag === "Message").filter((entry) => role === undefined || entry.role === role)

/** The tool calls in their order. */
export const toolCalls = (state: SessionState): ReadonlyArray<ToolCall> =>
  state.entries.filter((entry) => entry._tag === "ToolCall")

/**
 * Replaces the live state by a replayed one, without losing what the replay leaves out.
 *
 * Agents do not replay the text of the running turn. So a message of which the replay has only the beginning is kept, and
 * so are the entries after the last one that both have. Where a replay leaves out the messages of users, they stay in
 * their places. So do tool calls that the replay lacks. Messages of users that it joins stay apart. An empty replay changes
 * nothing.
 */
export const reconcile = (live: SessionState, history: SessionState): SessionState => {
  const offered = offeredOf(live, history)
  if (history.entries.length === 0) {
    const plan = history.plan.length === 0 ? live.plan : history.plan
    return { ...live, ...history, ...offered, entries: live.entries, plan }
  }
  const split = SplitReplay.split(live.entries, history.entries)
  const replayed = { ...history, entries: UnreplayedCalls.restore(live.entries, split) }
  const kept = { ...offered, permissions: live.permissions, running: live.running }
  if (!hasUserMessage(replayed) && hasUserMessage(live)) {
    return { ...live, ...replayed, entries: AlignReplay.align(live.entries, replayed.entries, same), ...kept }
  }
  const liveByKey = pair(live.entries, replayed.entries)
  const common = new Set(liveByKey.values())
  const lastCommon = live.entries.findLastIndex((entry) => common.has(entry))
  const entries = replayed.entries.map((entry) => {
    const before = liveByKey.get(entry.key)
    if (before === undefined || before.key !== entry.key) return before ?? entry
    if (same(before, entry)) return before
    if (before._tag !== "Message" || entry._tag !== "Message") return entry
    return before.text.length > entry.text.length && before.text.startsWith(entry.text) ? before : entry
  })
  const tail = live.entries.slice(lastCommon + 1)
  return {
    ...live,
    ...replayed,
    entries: [...entries, ...tail],
    ...kept
  }
}

/** What the agent offers to choose is said when a session is opened, and need not be in its replay. */
const offeredOf = (live: SessionState, replayed: SessionState) => ({
  commands: replayed.commands.length === 0 ? live.commands : replayed.commands,
  configOptions: replayed.configOptions.length === 0 ? live.configOptions : replayed.configOptions,
  models: replayed.models.length === 0 ? live.models : replayed.models,
  modes: replayed.modes.length === 0 ? live.modes : replayed.modes
})

/** The keys of entries and the fields that differ between two states. */
export const difference = (before: SessionState, after: SessionState): ReadonlySet<string> => {
  const { entries: entriesBefore, ...fieldsBefore } = before
  const { entries: entriesAfter, ...fieldsAfter } = after
  const names = new Set<string>()
  const old = new Map(entriesBefore.map((entry) => [entry.key, entry]))
  for (const entry of entriesAfter) {
    if (old.get(entry.key) !== entry) names.add(entry.key)
    old.delete(entry.key)
  }
  for (const key of old.keys()) names.add(key)
  const fields = new Map<string, unknown>(Object.entries(fieldsBefore))
  for (const [name, value] of Object.entries(fieldsAfter)) {
    if (!same(fields.get(name), value)) names.add(name)
  }
  return names
}

const hasUserMessage = ({ entries }: SessionState): boolean =>
  entries.some((entry) => entry._tag === "Message" && entry.role === "user")

// A replay may give ids to messages that had none, so a message is also recognised by its text.
const pair = (live: ReadonlyArray<Entry>, replayed: ReadonlyArray<Entry>): ReadonlyMap<string, Entry> => {
  const liveKeys = new Map(live.map((entry) => [entry.key, entry]))
  const replayedKeys = new Set(replayed.map((entry) => entry.key))
  const byText = new Map<string, Array<Entry>>()
  for (const entry of live) {
    if (entry._tag !== "Message" || entry.text === "" || replayedKeys.has(entry.key)) continue
    const alike = byText.get(textKey(entry))
    if (alike === undefined) byText.set(textKey(entry), [entry])
    else alike.push(entry)
  }
  return new Map(
    replayed.flatMap((entry): ReadonlyArray<readonly [string, Entry]> => {
      const found =
        liveKeys.get(entry.key) ?? (entry._tag === "Message" ? byText.get(textKey(entry))?.shift() : undefined)
      return found === undefined ? [] : [[entry.key, found]]
    })
  )
}

const textKey = ({ role, text }: Message): string => `${role} ${text}`

// Both sides are folded from JSON by the same code.
const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const fields = Object.entries(a)
  return (
    fields.length === Object.keys(b).length &&
    fields.every(([name, value]) => Object.hasOwn(b, name) && same(value, Reflect.get(b, name)))
  )
}
