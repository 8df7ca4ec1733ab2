import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import { FileOffer } from "../model/FileOffer.ts"
import { column } from "./database/Json.ts"
import * as Table from "./database/Table.ts"

/** The offers of files, at most one for each turn. */
export class FileOffers extends Context.Tag("@heddle/bot/FileOffers")<
  FileOffers,
  {
    readonly ofTurn: (threadId: string, turnId: string) => Effect.Effect<Option.Option<FileOffer>>
    /** Stores a new offer; one that the thread or the turn has already is left as it is. */
    readonly add: (threadId: string, turnId: string, offer: FileOffer) => Effect.Effect<void>
    readonly update: (turnId: string, offer: FileOffer) => Effect.Effect<void>
  }
>() {}

export const layer = Table.layer(FileOffers, (sql) =>
  FileOffers.of({
    ofTurn: (threadId, turnId) =>
      sql<{
        readonly offer: string
      }>`SELECT offer FROM file_offers WHERE turn_id = ${turnId} AND thread_id = ${threadId}`.pipe(
        Table.first((row) => content.read(row.offer))
      ),
    add: (threadId, turnId, offer) =>
      Table.write(
        sql`INSERT INTO file_offers (turn_id, thread_id, message_id, offer)
          VALUES (${turnId}, ${threadId}, ${offer.messageId}, ${content.write(offer)}) ON CONFLICT DO NOTHING`
      ),
    update: (turnId, offer) =>
      Table.write(sql`UPDATE file_offers SET offer = ${content.write(offer)} WHERE turn_id = ${turnId}`)
  })
)

const content = column(FileOffer)
