import * as Extension from "@heddle/acp/Extension"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as FileOffer from "../../model/FileOffer.ts"
import { isLateOutput } from "../../store/Inbox.ts"
import { FileOffers } from "../../store/FileOffers.ts"
import type { OpenTurn } from "../OpenTurn.ts"

/** Reads the offers of files from a session, also those that a replay of its history has. */
export interface OfferReader {
  readonly extensions: Extension.Registry<Extension.Standard>
  readonly newest: () => FileOffer.FileOffer | undefined
}

/** Makes the reader of a session: an offer is read when it arrives, which is before the end of its turn. */
export const makeReader = (): OfferReader => {
  let newest: FileOffer.FileOffer | undefined
  return {
    newest: () => newest,
    extensions: {
      ...Extension.standard,
      read: (method, params) => {
        newest = FileOffer.fromNotification(method, params) ?? newest
        return Extension.standard.read(method, params)
      }
    }
  }
}

/** Shows the stored offer of a turn; returns what shows the offer that came meanwhile. It is a row before it is shown. */
export const open = Effect.fn("OfferedFiles.open")(function* (
  { entry, row, state, thread }: OpenTurn,
  { newest }: OfferReader
) {
  const offers = yield* FileOffers
  const show = Effect.map(offers.ofTurn(thread.threadId, entry.eventId), (offer) =>
    state.set({ offer: Option.getOrUndefined(offer) })
  )
  yield* show
  // The turn may have ended while the bot was away. The offers of earlier turns are rows, too, and are not added again.
  const earlierId = row.prompted || isLateOutput(entry) ? undefined : newest()?.messageId
  return Effect.suspend(() => {
    const offer = newest()
    if (offer === undefined || offer.messageId === earlierId) return Effect.void
    return Effect.zipRight(offers.add(thread.threadId, entry.eventId, offer), show)
  })
})
