import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../../access/Accounts.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type CommandHandler, type Component, ownAccount, readsOwnAccount, say } from "../Command.ts"
import { accountProblem, withScopes } from "./RequireScopes.ts"

/** `/profile`: the nickname and the picture of the person's account. */
export const Profile: CommandHandler<Accounts> = {
  path: "profile",
  describe: ({ commands }) => ({ ...commands.profile, options: [] }),
  ...readsOwnAccount,
  handle: withScopes(
    ["user.profile.readable"],
    Effect.fn("Profile.handle")(function* ({ reply }, messages) {
      const { avatar, nickname } = yield* (yield* Accounts).use(reply.userId, ({ users }) => users.profile)
      const name = oneLine(nickname ?? "", 200)
      return Option.some({
        content: "",
        embeds: [
          {
            title: messages.profile.title,
            description: name === "" ? messages.profile.unnamed : messages.profile.nickname(name),
            ...(isPicture(avatar) ? { thumbnail: avatar } : {})
          }
        ]
      })
    })
  )
}

/** `/verify-phone`: a form for a phone number. */
export const VerifyPhone: CommandHandler<Accounts> = {
  path: "verify-phone",
  describe: ({ commands }) => ({ ...commands.verifyPhone, options: [] }),
  answers: "withForm",
  reads: true,
  action: ownAccount,
  handle: Effect.fn("Profile.verifyPhone")(function* ({ reply }, messages) {
    const { phone, phoneHint, phoneTitle } = messages.profile
    return (
      (yield* accountProblem(reply, messages, ["user.contact.readable"])) ?? {
        customId: "v1:phone",
        title: phoneTitle,
        fields: [
          {
            id: "phone",
            label: phone,
            description: phoneHint,
            value: "",
            required: true,
            minLength: 5,
            maxLength: 40,
            isMultiline: false
          }
        ]
      }
    )
  })
}

/** The form with the phone number: says only whether it is the account's number. */
export const PhoneSubmit: Component<Accounts> = {
  id: /^v1:phone$/,
  answers: "privately",
  reads: true,
  action: ownAccount,
  handle: Effect.fn("Profile.submitPhone")(function* ({ fields, reply }, { profile }) {
    const number = Redacted.make((fields["phone"] ?? "").trim())
    const isMatch = yield* (yield* Accounts).use(reply.userId, ({ users }) => users.verifyPhone(number))
    return Option.some(say(isMatch ? profile.matched : profile.unmatched))
  })
}

/** Discord shows pictures at public addresses only and refuses others. */
const isPicture = (avatar: string | undefined): avatar is string =>
  avatar !== undefined && URL.canParse(avatar) && new URL(avatar).protocol === "https:" && avatar.length <= 2048
