import type { Scope } from "@heddle/core/domain/Scope"
import * as Effect from "effect/Effect"
import type { MessageBody } from "../discord/MessageBody.ts"
import type { Messages } from "../messages/Messages.ts"
import { type LinkRequester, Connect } from "./Connect.ts"

/** A private message with the person's own link and the button for the code that the last page shows. */
export const invite = Effect.fn("Invitation.invite")(function* (
  person: LinkRequester,
  { connectFirst, connecting }: Messages,
  content: string,
  additionalScopes?: ReadonlyArray<Scope>,
  label = connectFirst.buttonLabel
): Effect.fn.Return<MessageBody, never, Connect> {
  const { url } = yield* (yield* Connect).begin(person, additionalScopes)
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
