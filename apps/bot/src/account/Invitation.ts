import type { Scope } from "@heddle/core/domain/Scope"
import * as Effect from "effect/Effect"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { type Asker, Connect } from "./Connect.ts"

/** A private message with the person's own link and the button for the code that the last page shows. */
export const invite = Effect.fn("Invitation.invite")(function* (
  person: Asker,
  { connectFirst, connecting }: Messages,
  content: string,
  more?: ReadonlyArray<Scope>,
  label = connectFirst.button
): Effect.fn.Return<MessageBody, never, Connect> {
  const { url } = yield* (yield* Connect).begin(person, more)
  return {
    content: `${content}\n${connecting.howTo}`,
    rows: [
      [
        { label, style: "primary", url },
        { label: connecting.enterCode, style: "secondary", customId: "c2:code" }
      ]
    ]
  }
})
