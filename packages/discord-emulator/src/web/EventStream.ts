import type { ServerResponse } from "node:http"
import { localizedCommandsFor } from "../actors/CommandInput.ts"
import { type EmulatorEvent, emulatorEventOf, emulatorEventOfTransient } from "../context/EmulatorEvents.ts"
import { canView } from "../state/Permissions.ts"
import type { Context } from "../context/Context.ts"
import type { StoredChannel, StoredMessage } from "../model/Records.ts"
import type { Committed } from "../state/Store.ts"
import { channelFor, snapshotFor } from "./Snapshot.ts"

/** The event streams of the open pages. */
export interface EventStream {
  /** Sends the whole state, then every change that the person may see. */
  readonly open: (userId: string, response: ServerResponse) => void
  readonly close: () => void
}

const pingMs = 15_000

export const makeEventStream = (context: Context): EventStream => {
  const { transientEvents, store } = context
  const pages = new Set<{ readonly userId: string; readonly response: ServerResponse }>()
  const write = (response: ServerResponse, event: string, data: unknown): void =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

  const eventForViewer = (userId: string, event: EmulatorEvent): object | undefined => {
    if ("visibleTo" in event && event.visibleTo !== undefined && event.visibleTo !== userId) return undefined
    if (event.type === "commands") return { ...event, commands: localizedCommandsFor(context, userId) }
    if (event.type === "presence") return undefined
    const channel = store.channels.get(event.channelId)
    const isChannelEvent = event.type.startsWith("thread_") || event.type.startsWith("channel_")
    // A person who lost access must not keep the channel in the list.
    if (channel !== undefined && !canView(context.store, userId, channel))
      return isChannelEvent ? { type: "channel_delete", channelId: event.channelId } : undefined
    if (!isChannelEvent) return event
    const entry = channel === undefined ? { id: event.channelId } : channelFor(context, channel, userId)
    return { ...event, channel: entry }
  }

  const broadcast = (eventFor: (userId: string) => EmulatorEvent | undefined): void => {
    for (const { response, userId } of pages) {
      const event = eventFor(userId)
      const data = event === undefined ? undefined : eventForViewer(userId, event)
      if (data !== undefined) write(response, "change", data)
    }
  }
  let botStatus = "offline"
  let refreshScheduled = false
  /** Sends every page a new snapshot, once for all changes of the same tick. */
  const refresh = (): void => {
    if (refreshScheduled) return
    refreshScheduled = true
    queueMicrotask(() => {
      refreshScheduled = false
      for (const { response, userId } of pages)
        write(response, "change", { type: "refresh", snapshot: snapshotFor(context, userId, botStatus) })
    })
  }
  const stops = [
    store.listen((committed) => {
      if (changesAccess(committed)) refresh()
      for (const event of deletionsOf(committed)) broadcast(() => event)
      broadcast((userId) => emulatorEventOf(context, committed, userId))
    }),
    transientEvents.listen((event) => {
      if (event.type === "presence") {
        botStatus = event.status
        refresh()
      } else broadcast(() => emulatorEventOfTransient(event))
    })
  ]
  const ping = setInterval(() => {
    for (const { response } of pages) response.write(": ping\n\n")
  }, pingMs)
  ping.unref()

  return {
    open: (userId, response) => {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        "cache-control": "no-store",
        "x-accel-buffering": "no"
      })
      write(response, "state", snapshotFor(context, userId, botStatus))
      const page = { userId, response }
      pages.add(page)
      response.on("close", () => pages.delete(page))
    },
    close: () => {
      clearInterval(ping)
      for (const stop of stops) stop()
      for (const { response } of pages) response.end()
    }
  }
}

const accessChanges: ReadonlyArray<string> = ["realm", "user", "member", "member_gone", "role", "role_gone"]

/** Whether a change can alter what a person sees besides messages. */
const changesAccess = ({ before, change }: Committed): boolean => {
  if (change.kind !== "channel") return accessChanges.includes(change.kind)
  const { overwrites } = change.value
  return before !== undefined && JSON.stringify((before as StoredChannel).overwrites) !== JSON.stringify(overwrites)
}

/** A bulk deletion becomes one event per message. */
const deletionsOf = ({ before, change }: Committed): ReadonlyArray<EmulatorEvent> =>
  change.kind !== "messages_gone"
    ? []
    : ((before ?? []) as ReadonlyArray<StoredMessage>).map(({ channelId, id, visibleTo }) => ({
        type: "message_delete",
        channelId,
        messageId: id,
        ...(visibleTo === undefined ? {} : { visibleTo })
      }))
