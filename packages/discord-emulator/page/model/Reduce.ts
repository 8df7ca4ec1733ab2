import { NO_RESPONSE } from "./Errors.ts"
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
    case "person_switched":
      return {
        ...initialState,
        drafts: state.drafts,
        deletedIds: state.deletedIds,
        currentChannel: state.currentChannel,
        membersShown: state.membersShown
      }
    case "channel_opened":
      return {
        ...state,
        currentChannel: action.currentChannel,
        unread: without(state.unread, action.currentChannel),
        drawer: false,
        editing: undefined
      }
    case "loaded":
      return applyLoadedPage(state, action)
    case "message":
      return applyMessage(state, action.message, action.isCreated)
    case "message_deleted":
      return applyMessageDeletion(state, action.channel, action.message)
    case "channel":
      return { ...state, channels: upsert(state.channels, action.channel) }
    case "channel_deleted":
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
    case "draft_sent":
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
    case "message_error": {
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

// A new connection starts from a snapshot; loaded messages may miss changes, so they are stale.
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
    Object.entries(state.messages).map(([channel, loaded]): [string, LoadedMessages] => [
      channel,
      { ...loaded, stale: true, updatedIds: new Set() }
    ])
  ),
  drafts: Object.fromEntries(
    Object.entries(state.drafts).map(([channel, draft]): [string, Draft] => [
      channel,
      draft.error?.includes(NO_RESPONSE) === true ? { ...draft, error: undefined } : draft
    ])
  ),
  messageErrors: Object.fromEntries(Object.entries(state.messageErrors).filter(([, text]) => text !== NO_RESPONSE)),
  typing: {}
})

const applyLoadedPage = (state: State, action: Extract<Action, { readonly type: "loaded" }>): State => {
  const loaded = state.messages[action.channel] ?? notLoaded
  const isReload = loaded.stale && !action.isOlderPage
  // The response replaces the list, except for messages that changed while it was loading.
  const retained = isReload ? loaded.list.filter((entry) => loaded.updatedIds.has(entry.id)) : loaded.list
  const merged = new Map(retained.map((entry) => [entry.id, entry]))
  for (const entry of action.messages) {
    const existing = merged.get(entry.id)
    if (!state.deletedIds.has(entry.id) && (existing === undefined || changedAt(entry) >= changedAt(existing))) {
      merged.set(entry.id, entry)
    }
  }
  const first = action.messages[0]
  // A message older than the loaded page would leave a gap below it.
  const list = [...merged.values()]
    .filter((entry) => !isReload || action.complete || first === undefined || byId(entry, first) >= 0)
    .sort(byId)
  const complete = action.complete || (!isReload && loaded.complete)
  return {
    ...state,
    messages: { ...state.messages, [action.channel]: { ...notLoaded, list, complete, stale: false } }
  }
}

const applyMessage = (state: State, entry: Message, isCreated: boolean): State => {
  if (state.deletedIds.has(entry.id)) return state
  const channel = entry.channel_id
  const loaded = state.messages[channel] ?? notLoaded
  const isNew = isCreated && loaded.list.every((listed) => listed.id !== entry.id)
  const { [entry.author.id]: _, ...othersTyping } = state.typing[channel] ?? {}
  const next: State = {
    ...state,
    typing: isNew ? { ...state.typing, [channel]: othersTyping } : state.typing,
    unread:
      isNew && channel !== state.currentChannel && entry.author.id !== state.me
        ? new Set(state.unread).add(channel)
        : state.unread
  }
  // A changed message older than the loaded ones is shown once its page is loaded.
  const first = loaded.list[0]
  if (!isNew && !loaded.complete && !loaded.stale && first !== undefined && byId(entry, first) < 0) return next
  const list = [...loaded.list.filter((listed) => listed.id !== entry.id), entry].sort(byId)
  const updatedIds = loaded.stale ? new Set(loaded.updatedIds).add(entry.id) : loaded.updatedIds
  return { ...next, messages: { ...next.messages, [channel]: { ...loaded, list, updatedIds } } }
}

const applyMessageDeletion = (state: State, channel: string, id: string): State => {
  const loaded = state.messages[channel]
  return {
    ...state,
    deletedIds: new Set(state.deletedIds).add(id),
    editing: state.editing?.message === id ? undefined : state.editing,
    messages:
      loaded === undefined
        ? state.messages
        : { ...state.messages, [channel]: { ...loaded, list: loaded.list.filter((entry) => entry.id !== id) } }
  }
}

const notLoaded: LoadedMessages = { list: [], complete: false, stale: true, updatedIds: new Set() }

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
