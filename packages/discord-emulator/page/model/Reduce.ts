import { NO_ANSWER } from "./Errors.ts"
import {
  type Action,
  type Draft,
  type LoadedMessages,
  type State,
  byId,
  draftOf,
  emptyDraft,
  initialState
} from "./State.ts"
import type { Channel, Message, Snapshot } from "./Types.ts"

/** Returns the state after an action. Applying the same action twice has the effect of one. */
export const reduce = (state: State, action: Action): State => {
  switch (action.type) {
    case "connection":
      return { ...state, connection: action.status }
    case "snapshot":
      return applySnapshot(state, action.snapshot)
    case "refresh":
      return { ...state, ...serverState(action.snapshot) }
    case "forget":
      return {
        ...initialState,
        drafts: state.drafts,
        deletedIds: state.deletedIds,
        currentChannel: state.currentChannel,
        membersShown: state.membersShown
      }
    case "visit":
      return {
        ...state,
        currentChannel: action.currentChannel,
        unread: without(state.unread, action.currentChannel),
        drawer: false,
        editing: undefined
      }
    case "loaded":
      return loaded(state, action)
    case "message":
      return message(state, action.message, action.fresh)
    case "message_gone":
      return messageGone(state, action.channel, action.message)
    case "channel":
      return { ...state, channels: upsert(state.channels, action.channel) }
    case "channel_gone":
      return { ...state, channels: state.channels.filter((channel) => channel.id !== action.channel) }
    case "commands":
      return { ...state, commands: action.commands }
    case "typing":
      return {
        ...state,
        typing: {
          ...state.typing,
          [action.channel]: { ...state.typing[action.channel], [action.person]: action.until }
        }
      }
    case "tick":
      return { ...state, typing: activeTyping(state.typing, action.now) }
    case "draft":
      return withDraft(state, action.channel, { ...draftOf(state, action.channel), ...action.change })
    case "sent":
      return withDraft(state, action.channel, emptyDraft)
    case "pending":
      return {
        ...state,
        pending: [...state.pending.filter((entry) => entry.key !== action.pending.key), action.pending]
      }
    case "pending_done":
      return { ...state, pending: state.pending.filter((entry) => entry.key !== action.key) }
    case "busy":
      return { ...state, busy: action.busy ? new Set(state.busy).add(action.key) : without(state.busy, action.key) }
    case "refused": {
      const { [action.message]: _, ...others } = state.messageErrors
      return {
        ...state,
        messageErrors: action.text === undefined ? others : { ...others, [action.message]: action.text }
      }
    }
    case "editing":
      return { ...state, editing: action.editing }
    case "deleting":
      return { ...state, deleting: action.message }
    case "modal":
      return { ...state, modal: action.modal }
    case "new_thread":
      return { ...state, newThread: action.newThread }
    case "members":
      return { ...state, membersShown: action.open, drawer: false }
    case "drawer":
      return { ...state, drawer: action.open }
  }
}

const serverState = (snapshot: Snapshot) => ({
  me: snapshot.me,
  locale: snapshot.locale,
  locales: snapshot.locales,
  botId: snapshot.botId,
  guild: snapshot.guild,
  people: Object.fromEntries(snapshot.users.map((person) => [person.id, person])),
  roles: snapshot.roles,
  channels: [...snapshot.channels].sort(byId),
  commands: snapshot.commands
})

// A new connection starts from what the server says now: loaded messages may have missed changes and count as stale.
const applySnapshot = (state: State, snapshot: Snapshot): State => ({
  ...state,
  connection: "live",
  ...serverState(snapshot),
  unread: new Set([
    ...state.unread,
    ...snapshot.channels
      .filter((channel) => channel.unread === true && channel.id !== state.currentChannel)
      .map(({ id }) => id)
  ]),
  messages: Object.fromEntries(
    Object.entries(state.messages).map(([channel, known]): [string, LoadedMessages] => [
      channel,
      { ...known, stale: true, updatedIds: new Set() }
    ])
  ),
  drafts: Object.fromEntries(
    Object.entries(state.drafts).map(([channel, draft]): [string, Draft] => [
      channel,
      draft.error?.includes(NO_ANSWER) === true ? { ...draft, error: undefined } : draft
    ])
  ),
  messageErrors: Object.fromEntries(Object.entries(state.messageErrors).filter(([, text]) => text !== NO_ANSWER)),
  typing: {}
})

const loaded = (state: State, action: Extract<Action, { readonly type: "loaded" }>): State => {
  const known = state.messages[action.channel] ?? unknown
  const anew = known.stale && !action.older
  // What the server sends is the truth, except for messages that changed while it was on its way.
  const kept = anew ? known.list.filter((entry) => known.updatedIds.has(entry.id)) : known.list
  const merged = new Map(kept.map((entry) => [entry.id, entry]))
  for (const entry of action.messages) {
    const existing = merged.get(entry.id)
    if (!state.deletedIds.has(entry.id) && (existing === undefined || changedAt(entry) >= changedAt(existing))) {
      merged.set(entry.id, entry)
    }
  }
  const first = action.messages[0]
  // A change further up than what was loaded would leave a gap below it.
  const list = [...merged.values()]
    .filter((entry) => !anew || action.complete || first === undefined || byId(entry, first) >= 0)
    .sort(byId)
  const whole = action.complete || (!anew && known.complete)
  return {
    ...state,
    messages: { ...state.messages, [action.channel]: { ...unknown, list, complete: whole, stale: false } }
  }
}

const message = (state: State, entry: Message, fresh: boolean): State => {
  if (state.deletedIds.has(entry.id)) return state
  const channel = entry.channel_id
  const known = state.messages[channel] ?? unknown
  const isNew = fresh && known.list.every((other) => other.id !== entry.id)
  const { [entry.author.id]: _, ...othersTyping } = state.typing[channel] ?? {}
  const next: State = {
    ...state,
    typing: isNew ? { ...state.typing, [channel]: othersTyping } : state.typing,
    unread:
      isNew && channel !== state.currentChannel && entry.author.id !== state.me
        ? new Set(state.unread).add(channel)
        : state.unread
  }
  // A change to a message that is further up than what is loaded waits until that part is loaded.
  const first = known.list[0]
  if (!isNew && !known.complete && !known.stale && first !== undefined && byId(entry, first) < 0) return next
  const list = [...known.list.filter((other) => other.id !== entry.id), entry].sort(byId)
  const news = known.stale ? new Set(known.updatedIds).add(entry.id) : known.updatedIds
  return { ...next, messages: { ...next.messages, [channel]: { ...known, list, updatedIds: news } } }
}

const messageGone = (state: State, channel: string, id: string): State => {
  const known = state.messages[channel]
  return {
    ...state,
    deletedIds: new Set(state.deletedIds).add(id),
    editing: state.editing?.message === id ? undefined : state.editing,
    messages:
      known === undefined
        ? state.messages
        : { ...state.messages, [channel]: { ...known, list: known.list.filter((entry) => entry.id !== id) } }
  }
}

const unknown: LoadedMessages = { list: [], complete: false, stale: true, updatedIds: new Set() }

const changedAt = (entry: Message): number => Date.parse(entry.edited_timestamp ?? entry.timestamp)

const upsert = (channels: ReadonlyArray<Channel>, channel: Channel): ReadonlyArray<Channel> => {
  const before = channels.find((entry) => entry.id === channel.id)
  return [...channels.filter((entry) => entry.id !== channel.id), { ...before, ...channel }].sort(byId)
}

const withDraft = (state: State, channel: string, draft: State["drafts"][string]): State => ({
  ...state,
  drafts: { ...state.drafts, [channel]: draft }
})

const without = (set: ReadonlySet<string>, key: string): ReadonlySet<string> => {
  if (!set.has(key)) return set
  const next = new Set(set)
  next.delete(key)
  return next
}

const activeTyping = (typing: State["typing"], now: number): State["typing"] =>
  Object.fromEntries(
    Object.entries(typing).map(([channel, people]) => [
      channel,
      Object.fromEntries(Object.entries(people).filter(([, until]) => until > now))
    ])
  )
