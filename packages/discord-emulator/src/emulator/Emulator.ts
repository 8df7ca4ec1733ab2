import type { APIMessage } from "discord-api-types/v10"
import type { Actor } from "../actors/Actor.ts"
import { makeActor } from "../actors/MakeActor.ts"
import { transcriptOf } from "../actors/Transcript.ts"
import { waitFor, waitForQuiet } from "../actors/WaitFor.ts"
import type { Context } from "../context/Context.ts"
import { type EmulatorEvent, type ThreadInfo, threadInfo } from "../context/EmulatorEvents.ts"
import type { FaultRule } from "../faults/FaultRule.ts"
import type { Presence } from "../gateway/Presence.ts"
import type { StoredUser } from "../model/Records.ts"
import { startAutoArchive } from "../resources/channels/AutoArchive.ts"
import { type EmulatorOptions, settingsFrom } from "../settings/Settings.ts"
import { addUser } from "../state/Seed.ts"
import type { Store } from "../state/Store.ts"
import { makeContext } from "./MakeContext.ts"
import { makeEventListeners } from "./EventListeners.ts"
import { openStore } from "./OpenStore.ts"
import { type Server, startServer } from "./Server.ts"

/** A running emulator: its addresses, its people, and the controls of a test. */
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
  /** Adds a person to the guild. */
  readonly addUser: (username: string) => Actor
  /** The messages everybody sees in a channel, oldest first. */
  readonly messages: (channelId: string) => ReadonlyArray<APIMessage>
  readonly threads: () => ReadonlyArray<ThreadInfo>
  /** Calls the listener on every visible change until the returned function is called. */
  readonly on: (listener: (event: EmulatorEvent) => void) => () => void
  /** Waits until `find` returns a value, checked on every event; rejects with `what` and the current messages. */
  readonly waitFor: <A>(
    find: (emulator: Emulator) => A | undefined | false,
    options?: { readonly timeoutMs?: number; readonly what?: string }
  ) => Promise<A>
  /** Waits until a channel has had no change for `ms`; rejects after a minute. */
  readonly quiet: (channelId: string, ms: number) => Promise<void>
  /** A channel as plain text. */
  readonly transcript: (channelId: string) => string
  /** Sets a fault; the returned function takes it back. */
  readonly fault: (rule: FaultRule) => () => void
  /**
   * Cuts the gateway connections. With `resume: false` the sessions cannot be resumed. With a `code` they are closed
   * with it, such as 4004 for a token that is no longer valid.
   */
  readonly dropGateway: (options?: { readonly resume?: boolean; readonly code?: number }) => void
  /** Lets the gateway connections fall silent without closing them; the clients have to notice by themselves. */
  readonly silenceGateway: () => void
  /** Asks the clients to reconnect (op 7), as Discord does before maintenance. */
  readonly reconnectGateway: () => void
  /** Invalidates the sessions (op 9); with `resume: true` the clients may resume. */
  readonly invalidateSessions: (options?: { readonly resume?: boolean }) => void
  /** Asks the clients for a heartbeat (op 1). */
  readonly requestHeartbeat: () => void
  /** Makes the guild unavailable to the bot, until the returned function is called. */
  readonly guildOutage: () => () => void
  /** How the bot shows itself; offline while it is not connected. */
  readonly presence: () => Presence
  readonly close: () => Promise<void>
}

/** Starts an emulator. Rejects with `SettingsError` when the port or the data folder cannot be used. */
export const startEmulator = async (options: EmulatorOptions = {}): Promise<Emulator> => {
  const settings = settingsFrom(options)
  const opened = openStore(settings)
  try {
    let origin = ""
    const context = makeContext(settings, opened, () => origin)
    const server = await startServer(context, opened.sessionStore)
    origin = server.origin
    return makeEmulator(context, server, opened.close)
  } catch (cause) {
    opened.close()
    throw cause
  }
}

const makeEmulator = (context: Context, server: Server, closeStore: () => void): Emulator => {
  const { faults, store } = context
  const { guild } = store
  const { gateway } = server
  const { on } = makeEventListeners(context)
  const stopArchiving = startAutoArchive(store)
  const close = async (): Promise<void> => {
    stopArchiving()
    context.interactions.close()
    await server.close()
    closeStore()
  }
  let closing: Promise<void> | undefined
  const emulator: Emulator = {
    api: `${server.origin}/api`,
    page: `${server.origin}/`,
    get botToken() {
      return store.guild.botToken
    },
    applicationId: guild.applicationId,
    guildId: guild.guildId,
    channelId: guild.channelId,
    get users() {
      return peopleIn(store).map(({ id, username }) => ({ id, username }))
    },
    user: (idOrName) => makeActor(context, findPerson(store, idOrName).id),
    addUser: (username) => makeActor(context, addUser(store, username)),
    messages: (channelId) => publicMessages(context, channelId),
    threads: () => [...store.channels.values()].filter((channel) => channel.thread !== undefined).map(threadInfo),
    on,
    waitFor: (find, { timeoutMs = 10_000, what = "a condition" } = {}) =>
      waitFor(on, () => find(emulator), { timeoutMs, what, snapshot: () => describeChannels(context) }),
    quiet: (channelId, ms) =>
      waitForQuiet(on, (event) => "channelId" in event && event.channelId === channelId, {
        ms,
        limitMs: 60_000,
        what: `channel ${channelId}`
      }),
    transcript: makeTranscripts(context),
    fault: (rule) => faults.add(rule),
    dropGateway: gateway.disconnectAll,
    silenceGateway: gateway.silence,
    reconnectGateway: gateway.reconnect,
    invalidateSessions: gateway.invalidate,
    requestHeartbeat: gateway.requestHeartbeat,
    guildOutage: gateway.startOutage,
    presence: gateway.presence,
    close: () => (closing ??= close())
  }
  return emulator
}

const peopleIn = (store: Store): ReadonlyArray<StoredUser> => [...store.users.values()].filter((user) => !user.bot)

/** A person by id or name, the first one without either. Throws when there is none. */
const findPerson = (store: Store, idOrName: string | undefined): StoredUser => {
  const people = peopleIn(store)
  const person =
    idOrName === undefined
      ? people[0]
      : people.find((candidate) => candidate.id === idOrName || candidate.username === idOrName)
  if (person !== undefined) return person
  const names = people.map(({ username }) => username).join(", ")
  throw new Error(`there is no user ${idOrName}; there are ${names}`)
}

/** Transcripts that are made once for each change: who waits for words reads them many times a second. */
const makeTranscripts = (context: Context): Emulator["transcript"] => {
  const known = new Map<string, string>()
  let change = context.store.lastCommitted
  return (channelId) => {
    if (change !== context.store.lastCommitted) known.clear()
    change = context.store.lastCommitted
    const transcript = known.get(channelId) ?? transcriptOf(publicMessages(context, channelId))
    known.set(channelId, transcript)
    return transcript
  }
}

/** The messages that everybody sees, oldest first. */
const publicMessages = ({ render, store }: Context, channelId: string): ReadonlyArray<APIMessage> =>
  store.messages
    .in(channelId)
    .filter((message) => message.visibleTo === undefined)
    .map((message) => render.message(message, store.guild.ownerId))

/** The last messages of every channel as plain text, for the errors of tests. */
const describeChannels = ({ render, store }: Context): string =>
  [...store.channels.values()]
    .map(({ id, name }) => {
      const latest = store.messages.in(id).slice(-20)
      const messages = latest.map((message) => render.message(message, store.guild.ownerId))
      return `#${name} (${id})\n${transcriptOf(messages) || "  (no messages)"}`
    })
    .join("\n\n")
