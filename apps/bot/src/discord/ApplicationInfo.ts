import {
  type APIApplication,
  type APIUser,
  ApplicationFlags,
  REST,
  type RESTGetAPICurrentUserGuildsResult,
  type RouteLike,
  Routes
} from "discord.js"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { fromUnknown } from "./DiscordError.ts"

/** How to reach Discord. */
export interface Options {
  readonly token: Redacted.Redacted
  readonly api: string | undefined
}

/** The application and the servers of a bot token. */
export interface ApplicationInfo {
  readonly id: string
  readonly username: string
  /** Whether the message content intent is on. */
  readonly readsMessages: boolean
  /** The bot's servers, with its permissions there. */
  readonly guilds: ReadonlyArray<{ readonly name: string; readonly permissions: bigint }>
}

/** Reads the application of a bot token over REST, without the gateway. */
export const read = Effect.fn("ApplicationInfo.read")(function* ({ api, token }: Options) {
  const rest = new REST({ version: "10", timeout: 10_000, retries: 1, ...(api === undefined ? {} : { api }) })
  rest.setToken(Redacted.value(token))
  const get = <A>(name: string, route: RouteLike, query = new URLSearchParams()) =>
    Effect.tryPromise({ try: (signal) => rest.get(route, { query, signal }) as Promise<A>, catch: fromUnknown(name) })
  const guildsAfter = (last: string) =>
    get<RESTGetAPICurrentUserGuildsResult>(
      "getGuilds",
      Routes.userGuilds(),
      new URLSearchParams({ limit: String(pageSize), after: last })
    )
  const { username } = yield* get<APIUser>("getCurrentUser", Routes.user())
  const { flags = 0, id } = yield* get<APIApplication>("getApplication", Routes.currentApplication())
  const guilds: Array<RESTGetAPICurrentUserGuildsResult[number]> = []
  for (let more = true; more;) {
    const page = yield* guildsAfter(guilds.at(-1)?.id ?? "0")
    guilds.push(...page)
    more = page.length === pageSize
  }
  return {
    id,
    username,
    readsMessages:
      (flags & (ApplicationFlags.GatewayMessageContent | ApplicationFlags.GatewayMessageContentLimited)) !== 0,
    guilds: guilds.map(({ name, permissions }) => ({ name, permissions: BigInt(permissions) }))
  } satisfies ApplicationInfo
})

/** Discord's page size. */
const pageSize = 200
