import type { Store } from "../model/Store.ts"
import type { Channel, Command, Message, Snapshot } from "../model/Types.ts"

/** The live connection of one person. */
export interface Connection {
  /** Connects as this person, or as the server's first one; ends the connection before it. */
  readonly open: (person: string | undefined) => void
}

const TYPING_DURATION_MS = 10_000
const MIN_RETRY_DELAY_MS = 250
const MAX_RETRY_DELAY_MS = 2000

/** Keeps the store in step with the server: a snapshot per connection, then changes; reconnects until it is back. */
export const makeConnection = (store: Store, eventsUrl: (person: string | undefined) => string): Connection => {
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let retryDelayMs = MIN_RETRY_DELAY_MS

  const open = (person: string | undefined): void => {
    clearTimeout(timer)
    source?.close()
    const eventSource = new EventSource(eventsUrl(person))
    source = eventSource
    eventSource.addEventListener("state", (event) => {
      retryDelayMs = MIN_RETRY_DELAY_MS
      const snapshot: Snapshot = JSON.parse(event.data)
      store.dispatch({ type: "snapshot", snapshot })
    })
    eventSource.addEventListener("change", (event) => readChange(store, JSON.parse(event.data)))
    eventSource.addEventListener("error", () => {
      // The browser's own retry is slow and invisible; this one is fast and shows a banner.
      eventSource.close()
      if (source !== eventSource) return
      store.dispatch({ type: "connection", status: "lost" })
      timer = setTimeout(() => open(store.state().me ?? person), retryDelayMs)
      retryDelayMs = Math.min(retryDelayMs * 2, MAX_RETRY_DELAY_MS)
    })
  }
  addEventListener("online", () => {
    if (store.state().connection === "lost") open(store.state().me)
  })
  return { open }
}

interface Change {
  readonly type: string
  readonly snapshot?: Snapshot
  readonly message?: Message
  readonly channel?: Channel
  readonly commands?: ReadonlyArray<Command>
  readonly messageId?: string
  readonly channelId?: string
  readonly userId?: string
}

const readChange = (store: Store, change: Change): void => {
  switch (change.type) {
    case "message_create":
    case "message_update":
      if (change.message !== undefined) {
        store.dispatch({ type: "message", message: change.message, isCreated: change.type === "message_create" })
      }
      return
    case "message_delete": {
      const message = change.messageId
      if (message !== undefined && change.channelId !== undefined) {
        store.dispatch({ type: "message_deleted", channel: change.channelId, message })
      }
      return
    }
    case "thread_create":
    case "thread_update":
    case "channel_create":
    case "channel_update": {
      const { channel } = change
      if (channel !== undefined) store.dispatch({ type: "channel", channel })
      return
    }
    case "thread_delete":
    case "channel_delete": {
      const channel = change.channelId
      if (channel !== undefined) store.dispatch({ type: "channel_deleted", channel })
      return
    }
    case "typing":
      if (change.channelId !== undefined && change.userId !== undefined && change.userId !== store.state().me) {
        const until = Date.now() + TYPING_DURATION_MS
        store.dispatch({ type: "typing", channel: change.channelId, person: change.userId, until })
      }
      return
    case "refresh":
      if (change.snapshot !== undefined) store.dispatch({ type: "refresh", snapshot: change.snapshot })
      return
    case "commands":
      if (change.commands !== undefined) store.dispatch({ type: "commands", commands: change.commands })
      return
    default:
      // An "interaction" change repeats the response to the person's own request.
      return
  }
}
