import type { APIMessage } from "discord-api-types/v10"
import { type Actor, makeActor } from "./actors/Actor.ts"
import { transcriptOf } from "./actors/Transcript.ts"
import { quiet, waitFor } from "./actors/Waiters.ts"
import { type EmulatorEvent, eventOf, eventOfSignal, type ThreadInfo, threadInfo } from "./context/EmulatorEvents.ts"
import { type Presence } from "./gateway/Presence.ts"
import { folderSessions, memorySessions, type SessionStore } from "./gateway/SessionStore.ts"
import type { FaultRule } from "./faults/FaultRule.ts"
import { Faults } from "./faults/Faults.ts"
import { makeSessionStarts } from "./limits/SessionStarts.ts"
import type { Parts } from "./context/Context.ts"
import { type Server, startServer } from "./Server.ts"
import { type EmulatorOptions, settingsFrom, type Settings } from "./settings/Settings.ts"
import { startAutoArchive } from "./resources/channels/AutoArchive.ts"
import { makeChannels } from "./resources/channels/Channels.ts"
import { openDataFolder } from "./storage/DataFolder.ts"
import { folderFiles, memoryFiles } from "./storage/Files.ts"
import { addUser, genesis, invite, isUnfinished } from "./state/Seed.ts"
import { makeInteractions } from "./resources/interactions/Interactions.ts"
import { makeMembers } from "./resources/guild/Members.ts"
import { makeRoles } from "./resources/guild/Roles.ts"
import { makeWebhooks } from "./resources/webhooks/Webhooks.ts"
import { type Journal, memoryJournal, openJournal } from "./storage/Journal.ts"
import { makeMessages } from "./resources/messages/Messages.ts"
import { makeRender } from "./render/Render.ts"
import { Signals } from "./state/TransientEvents.ts"
import { timeOf } from "./model/Snowflake.ts"
import { makeThreads } from "./resources/channels/Threads.ts"
import { World } from "./state/World.ts"

/** A running Discord: where it is, who is in it, and what a test does with it. */
export interface Emulator {
  /** What discord.js gets as `rest.api`. */
  readonly api: string
  /** The page for people. */
  readonly page: string
  readonly botToken: string
  readonly applicationId: string
  readonly guildId: string
  readonly channelId: string
  /** The people; the first is the default one. */
  readonly users: ReadonlyArray<{ readonly id: string; readonly username: string }>
  /** A person by id or name, the default one without either. */
  readonly user: (idOrName?: string) => Actor
  /** Makes one more person, who joins the guild. */
  readonly addUser: (username: string) => Actor
  /** The messages everybody sees in a channel, oldest first. */
  readonly messages: (channelId: string) => ReadonlyArray<APIMessage>
  readonly threads: () => ReadonlyArray<ThreadInfo>
  /** Calls the listener on every visible change until the returned function is called. */
  readonly on: (listener: (event: EmulatorEvent) => void) => () => void
  /** Waits until `find` gives something, looking again on every event; rejects saying `what` and what there is. */
  readonly waitFor: <A>(
    find: (emulator: Emulator) => A | undefined | false,
    options?: { readonly timeoutMs?: number; readonly what?: string }
  ) => Promise<A>
  /** Waits until nothing changed in a channel for `ms`; rejects after a minute without such a pause. */
  readonly quiet: (channelId: string, ms: number) => Promise<void>
  /** A channel as plain text. */
  readonly transcript: (channelId: string) => string
  /** Sets a fault; the returned function takes it back. */
  readonly fault: (rule: FaultRule) => () => void
  /**
   * Cuts the gateway connections; with `resume: false` the sessions cannot be resumed, with a `code` they are closed
   * with it, such as 4004 for a token that is no longer good.
   */
  readonly dropGateway: (options?: { readonly resume?: boolean; readonly code?: number }) => void
  /** Lets the gateway connections fall silent without closing them; the clients have to notice by themselves. */
  readonly silenceGateway: () => void
  /** Asks the clients to reconnect (op 7), as Discord does before maintenance. */
  readonly reconnectGateway: () => void
  /** Tells the clients that their sessions are over (op 9), with `resume: true` that they should resume them. */
  readonly invalidateSessions: (options?: { readonly resume?: boolean }) => void
  /** Asks the clients for a heartbeat (op 1). */
  readonly requestHeartbeat: () => void
  /** Makes the guild unavailable to the bot, until the returned function is called. */
  readonly guildOutage: () => () => void
  /** How the bot shows itself; offline while it is not connected. */
  readonly presence: () => Presence
  readonly close: () => Promise<void>
}

/** Starts a Discord on this machine. Rejects with `SettingsError` when the port or the data folder cannot be used. */
export const startEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> => {
  const settings = settingsFrom(options)
  const state = openState(settings)
  try {
    const { parts, server } = await serve(settings, state)
    return makeEmulator(parts, server, state.close)
  } catch (cause) {
    state.close()
    throw cause
  }
}

interface State {
  readonly world: World
  readonly journal: Journal
  readonly sessionStore: SessionStore
  readonly files: Parts["files"]
  readonly close: () => void
}

const openState = (settings: Settings): State => {
  const folder = settings.data === undefined ? undefined : openDataFolder(settings.data)
  try {
    const { history, journal } = folder === undefined ? memoryJournal() : openJournal(folder.path, settings.log)
    const files = folder === undefined ? memoryFiles() : folderFiles(folder.path)
    const begun = isUnfinished(history) ? genesis(settings) : history
    if (begun !== history) journal.begin(begun)
    const world = new World(begun, journal.append, settings.clock)
    invite(world, settings)
    const compact = (): void => journal.compact(() => world.snapshot())
    compact()
    world.listen(compact)
    // Files of command options belong to no message; they are kept for a day, as their links would be.
    files.keepOnly((id) => world.attachmentType(id) !== undefined || settings.clock.now() - timeOf(id) < 86_400_000)
    return {
      world,
      journal,
      sessionStore: folder === undefined ? memorySessions : folderSessions(folder.path),
      files,
      close: () => {
        journal.close()
        folder?.release()
      }
    }
  } catch (cause) {
    folder?.release()
    throw cause
  }
}

const serve = async (settings: Settings, state: State): Promise<{ parts: Parts; server: Server }> => {
  const { files, journal, sessionStore, world } = state
  let origin = ""
  const render = makeRender(world, () => origin)
  const signals = new Signals()
  const messages = makeMessages(world, files)
  const threads = makeThreads(world, messages)
  const roles = makeRoles(world)
  const parts: Parts = {
    settings,
    world,
    files,
    render,
    signals,
    messages,
    channels: makeChannels(world),
    threads,
    roles,
    members: makeMembers(world, roles),
    webhooks: makeWebhooks(world, messages, threads),
    interactions: makeInteractions(world, messages, render, signals, settings.interactionMs),
    faults: new Faults(settings.seed),
    starts: makeSessionStarts(settings.limits, settings.clock.now),
    journal,
    origin: () => origin
  }
  const server = await startServer(parts, sessionStore)
  origin = server.origin
  return { parts, server }
}

const makeEmulator = (parts: Parts, server: Server, closeState: () => void): Emulator => {
  const { faults, interactions, render, signals, world } = parts
  const { realm } = world
  const people = () => [...world.users.values()].filter((user) => !user.bot)
  const listeners = new Set<(event: EmulatorEvent) => void>()
  const tell = (event: EmulatorEvent | undefined): void => {
    if (event === undefined) return
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (cause) {
        // A listener that fails must not keep the event from the bot and the others.
        parts.settings.log(
          `discord-emulator: a listener failed: ${cause instanceof Error ? cause.stack : String(cause)}`
        )
      }
    }
  }
  world.listen((committed) => {
    if (listeners.size > 0) tell(eventOf(parts, committed))
  })
  signals.listen((signal) => tell(eventOfSignal(signal)))

  const on: Emulator["on"] = (listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const publicMessages = (channelId: string): ReadonlyArray<APIMessage> =>
    world
      .messagesIn(channelId)
      .filter((message) => message.visibleTo === undefined)
      .map((message) => render.message(message, realm.ownerId))
  const snapshot = (): string =>
    [...world.channels.values()]
      .map(({ id, name }) => {
        const all = world.messagesIn(id).map((message) => render.message(message, realm.ownerId))
        return `#${name} (${id})\n${transcriptOf(all.slice(-20)) || "  (no messages)"}`
      })
      .join("\n\n")

  const stopArchiving = startAutoArchive(world)
  let closing: Promise<void> | undefined
  const emulator: Emulator = {
    api: `${server.origin}/api`,
    page: `${server.origin}/`,
    get botToken() {
      return world.realm.botToken
    },
    applicationId: realm.applicationId,
    guildId: realm.guildId,
    channelId: realm.channelId,
    get users() {
      return people().map(({ id, username }) => ({ id, username }))
    },
    user: (idOrName) => {
      const found =
        idOrName === undefined ? people()[0] : people().find((one) => one.id === idOrName || one.username === idOrName)
      if (found === undefined)
        throw new Error(
          `there is no user ${idOrName}; there are ${people()
            .map((one) => one.username)
            .join(", ")}`
        )
      return makeActor(parts, found.id)
    },
    addUser: (username) => makeActor(parts, addUser(world, username)),
    messages: publicMessages,
    threads: () => [...world.channels.values()].filter((channel) => channel.thread !== undefined).map(threadInfo),
    on,
    waitFor: (find, { timeoutMs = 10_000, what = "a condition" } = {}) =>
      waitFor(on, () => find(emulator), { timeoutMs, what, snapshot }),
    quiet: (channelId, ms) =>
      quiet(on, (event) => "channelId" in event && event.channelId === channelId, {
        ms,
        limitMs: 60_000,
        what: `channel ${channelId}`
      }),
    transcript: (channelId) => transcriptOf(publicMessages(channelId)),
    fault: (rule) => faults.add(rule),
    dropGateway: server.gateway.drop,
    silenceGateway: server.gateway.silence,
    reconnectGateway: server.gateway.reconnect,
    invalidateSessions: server.gateway.invalidate,
    requestHeartbeat: server.gateway.beat,
    guildOutage: server.gateway.outage,
    presence: server.gateway.presence,
    close: () => {
      closing ??= (async () => {
        stopArchiving()
        interactions.close()
        await server.close()
        closeState()
      })()
      return closing
    }
  }
  return emulator
}
