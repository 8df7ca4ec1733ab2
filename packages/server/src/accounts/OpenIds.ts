import { OpenId } from "@heddle/core/domain/OpenId"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Crypto from "node:crypto"
import { MasterKey } from "../config/MasterKey.ts"

/** The pairwise ids of users, so that two applications cannot compare their users (contract 5.8). */
export class OpenIds extends Context.Tag("@heddle/server/accounts/OpenIds")<
  OpenIds,
  {
    /** The id of a user for this application; it never changes (contract decision 35). */
    readonly of: (clientId: string, userId: string) => OpenId
  }
>() {}

export const layer: Layer.Layer<OpenIds, never, MasterKey> = Layer.effect(
  OpenIds,
  Effect.map(MasterKey, (master) => {
    const key = master.derive("open_id")
    return {
      of: (clientId, userId) =>
        OpenId.make(
          Crypto.createHmac("sha256", key)
            .update(JSON.stringify([clientId, userId]))
            .digest("base64url")
        )
    }
  })
)
