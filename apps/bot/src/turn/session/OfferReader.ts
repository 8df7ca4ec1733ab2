import * as Extension from "@heddle/acp/Extension"
import * as FileOffer from "../../model/FileOffer.ts"

/** Reads the offers of files from a session, also those that a replay of its history has. */
export interface OfferReader {
  readonly extensions: Extension.Registry<Extension.Standard>
  readonly newest: () => FileOffer.FileOffer | undefined
}

/** Makes the reader of a session: an offer is read when it arrives, which is before the end of its turn. */
export const make = (): OfferReader => {
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
