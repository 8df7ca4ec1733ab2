import assert from "node:assert/strict"
import {
  ChannelType,
  type Client,
  DiscordAPIError,
  type ForumChannel,
  GatewayIntentBits,
  type Guild,
  type GuildForumTagData,
  Partials,
  type TextChannel
} from "discord.js"
import { type Actor, type Emulator, type ManualClock, manualClock, startEmulator } from "@heddle/discord-emulator"
import { login } from "../support/Bot.ts"

/** Something that Discord does, where its documentation says so, and how one sees it. */
export interface Behaviour {
  readonly it: string
  readonly source: string
  readonly run: (scene: ProbeContext) => Promise<unknown>
}

/** An emulator on a clock that stands still, and an unpatched discord.js whose bot is no administrator. */
export interface ProbeContext {
  readonly discord: Emulator
  readonly clock: ManualClock
  readonly client: Client<true>
  readonly guild: Guild
  /** Owns the guild. */
  readonly you: Actor
  readonly sam: Actor
  readonly channel: () => Promise<TextChannel>
  readonly forum: (options?: {
    readonly availableTags?: ReadonlyArray<GuildForumTagData>
    readonly defaultThreadRateLimitPerUser?: number
  }) => Promise<ForumChannel>
  /** What the gateway sends, by name, from now on. */
  readonly recordEvents: (event: string) => RecordedEvents
  readonly close: () => Promise<void>
}

/** The dispatches of one name that came since. */
export interface RecordedEvents {
  readonly all: () => ReadonlyArray<Json>
  readonly first: () => Promise<Json>
}

export type Json = Record<string, unknown>

export const administrator = 1n << 3n
export const everything = (1n << 53n) - 1n

/** A page of Discord's documentation and a section in it. */
export const docs = (page: string, section: string): string => `https://docs.discord.com/developers/${page}#${section}`

export const openProbe = async (): Promise<ProbeContext> => {
  const clock = manualClock()
  const discord = await startEmulator({ limits: "fast", clock, botPermissions: everything & ~administrator })
  const client = await login(discord, {
    intents: Object.values(GatewayIntentBits).reduce<number>((all, bit) => all | Number(bit), 0),
    partials: [Partials.Channel, Partials.Message, Partials.Reaction, Partials.User]
  })
  const guild = await client.guilds.fetch(discord.guildId)
  let made = 0
  return {
    discord,
    clock,
    client,
    guild,
    you: discord.user("You"),
    sam: discord.user("Sam"),
    channel: () => guild.channels.create({ name: `place-${++made}`, type: ChannelType.GuildText }),
    forum: ({ availableTags, ...options } = {}) =>
      guild.channels.create({
        name: `forum-${++made}`,
        type: ChannelType.GuildForum,
        ...options,
        ...(availableTags === undefined ? {} : { availableTags: [...availableTags] })
      }),
    recordEvents: (event) => {
      const found: Array<Json> = []
      client.on("raw", (packet: { readonly t: string; readonly d: Json }) => {
        if (packet.t === event) found.push(packet.d)
      })
      return {
        all: () => found,
        first: () => discord.waitFor(() => found[0], { what: event, timeoutMs: 5000 })
      }
    },
    close: async () => {
      await client.destroy()
      await discord.close()
    }
  }
}

/** Asserts that Discord refuses with an error code, and with the codes of form errors at their places. */
export const refused = async (
  code: number,
  act: Promise<unknown>,
  places: ReadonlyArray<string> = []
): Promise<void> => {
  const cause = await act.then(
    () => assert.fail(`nothing refused this; expected ${code}`),
    (error: unknown) => error
  )
  assert.ok(cause instanceof DiscordAPIError, String(cause))
  assert.equal(cause.code, code, cause.message)
  const found = placesOf((cause.rawError as { readonly errors?: object }).errors ?? {}, "")
  for (const place of places) assert.ok(found.includes(place), `${place} is not among ${found.join(", ")}`)
}

const placesOf = (errors: object, path: string): ReadonlyArray<string> =>
  Object.entries(errors).flatMap(([key, below]: [string, unknown]) =>
    key === "_errors"
      ? (below as ReadonlyArray<{ readonly code: string }>).map(({ code }) => `${path} ${code}`)
      : placesOf(below as object, path === "" ? key : `${path}.${key}`)
  )
