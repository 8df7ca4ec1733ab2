import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { isLateOutput } from "../../store/Inbox.ts"
import { FileOffers } from "../../store/FileOffers.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import type { OfferReader } from "./OfferReader.ts"

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
