import { createHash, randomBytes } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Application } from "../model/Application.ts"
import * as Table from "./database/Table.ts"

/** The file and the person of a link. */
export interface LinkTarget {
  readonly threadId: string
  readonly uri: string
  /** The Discord user. */
  readonly userId: string
}

/** Private links, each to one file for one person, valid for ten minutes. Only hashes are stored. */
export class DownloadLinks extends Context.Tag("@heddle/bot/DownloadLinks")<
  DownloadLinks,
  {
    /** Makes a link. */
    readonly make: (target: LinkTarget) => Effect.Effect<{
      readonly url: Redacted.Redacted
      /** Epoch milliseconds. */
      readonly expiresAt: number
    }>
    /** The target of a token; none once it has expired. */
    readonly find: (token: Redacted.Redacted) => Effect.Effect<Option.Option<LinkTarget>>
  }
>() {}

/** The path of downloads. */
export const downloadPath = "/artifacts"

/** The lifetime of a link, in milliseconds. */
const lifetimeMs = 10 * 60_000

export const layer = Table.layerWith(DownloadLinks, Application, (sql, { callbackUrl }) => {
  return DownloadLinks.of({
    make: Effect.fn("DownloadLinks.make")(function* ({ threadId, uri, userId }) {
      const now = yield* Clock.currentTimeMillis
      const token = randomBytes(32).toString("base64url")
      const expiresAt = now + lifetimeMs
      yield* sql`DELETE FROM download_links WHERE expires_at <= ${now}`
      yield* sql`INSERT INTO download_links ${sql.insert({
        token_hash: hashOf(token),
        thread_id: threadId,
        uri,
        user_id: userId,
        expires_at: expiresAt
      })}`
      return { url: Redacted.make(new URL(`..${downloadPath}/${token}`, callbackUrl).href), expiresAt }
    }, Effect.orDie),
    find: Effect.fn("DownloadLinks.find")(function* (token) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* sql<Row>`SELECT * FROM download_links
          WHERE token_hash = ${hashOf(Redacted.value(token))} AND expires_at > ${now}`
      return Option.map(Option.fromNullable(row), ({ thread_id: threadId, uri, user_id: userId }) => ({
        threadId,
        uri,
        userId
      }))
    }, Effect.orDie)
  })
})

const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64url")

interface Row {
  readonly thread_id: string
  readonly uri: string
  readonly user_id: string
}
