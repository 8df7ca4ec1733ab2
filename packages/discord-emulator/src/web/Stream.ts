import type { ServerResponse } from "node:http"
import { canSee } from "../actors/Actor.ts"
import { commandsFor } from "../actors/CommandInput.ts"
import { type EmulatorEvent, eventOf, eventOfSignal } from "../Events.ts"
import type { Parts } from "../Parts.ts"
import type { StoredChannel } from "../state/Model.ts"

/** Live events for the open pages. */
export interface Stream {
  /** Sends the whole state, then every change that this person can see. */
  readonly open: (userId: string, response: ServerResponse) => void
  readonly close: () => void
}

const pingMs = 15_000

export const makeStream = (parts: Parts): Stream => {
  const { signals, world } = parts
  const pages = new Set<{ readonly userId: string; readonly response: ServerResponse }>()
  const write = (response: ServerResponse, event: string, data: unknown): void =>
    void response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

  const forwarded = (userId: string, event: EmulatorEvent): object | undefined => {
    if ("visibleTo" in event && event.visibleTo !== undefined && event.visibleTo !== userId) return undefined
    if (event.type === "commands") return { ...event, commands: commandsFor(parts, userId) }
    if (event.type === "presence") return event
    const channel = world.channels.get(event.channelId)
    if (channel !== undefined && !canSee(parts, channel, userId)) return undefined
    const entry = channel === undefined ? undefined : channelEntry(channel)
    return event.type.startsWith("thread_") || event.type.startsWith("channel_")
      ? { ...event, channel: entry ?? { id: event.channelId } }
      : event
  }

  const tell = (eventFor: (userId: string) => EmulatorEvent | undefined): void => {
    for (const { response, userId } of pages) {
      const event = eventFor(userId)
      const data = event === undefined ? undefined : forwarded(userId, event)
      if (data !== undefined) write(response, "change", data)
    }
  }
  const stops = [
    world.listen((committed) => tell((userId) => eventOf(parts, committed, userId))),
    signals.listen((signal) => tell(() => eventOfSignal(signal)))
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
      write(response, "state", stateFor(parts, userId))
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

const channelEntry = (channel: StoredChannel): object => ({
  id: channel.id,
  name: channel.name,
  type: channel.type,
  ...(channel.parentId === null ? {} : { parentId: channel.parentId }),
  ...(channel.topic === null ? {} : { topic: channel.topic }),
  ...(channel.thread === undefined ? {} : { archived: channel.thread.archived, locked: channel.thread.locked })
})

const stateFor = (parts: Parts, userId: string): object => {
  const { world } = parts
  return {
    me: userId,
    users: [...world.users.values()],
    guild: { id: world.realm.guildId, name: world.realm.guildName },
    channels: [...world.channels.values()].filter((channel) => canSee(parts, channel, userId)).map(channelEntry),
    commands: commandsFor(parts, userId)
  }
}
