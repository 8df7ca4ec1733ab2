import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Accounts } from "../../access/Accounts.ts"
import { oneLine } from "../../text/Truncate.ts"
import { type Command, type Component, say } from "../Command.ts"
import { obstacle } from "./WithAccount.ts"

/** `/profile`: the nickname and the picture of the person's account. */
export const Profile: Command<Accounts> = {
  path: "profile",
  describe: ({ commands }) => ({ ...commands.profile, options: [] }),
  answers: "privately",
  reads: true,
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("Profile.handle")(function* ({ reply }, messages) {
    const obstructed = yield* obstacle(reply, messages, ["user.profile.readable"])
    if (obstructed !== undefined) return Option.some(obstructed)
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
}

/** `/verify-phone`: a form for a phone number. */
export const VerifyPhone: Command<Accounts> = {
  path: "verify-phone",
  describe: ({ commands }) => ({ ...commands.verifyPhone, options: [] }),
  answers: "withForm",
  reads: true,
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("VerifyPhone.handle")(function* ({ reply }, messages) {
    const { phone, phoneHint, phoneTitle } = messages.profile
    return (
      (yield* obstacle(reply, messages, ["user.contact.readable"])) ?? {
        customId: "v1:phone",
        title: phoneTitle,
        fields: [
          {
            id: "phone",
            label: phone,
            description: phoneHint,
            value: "",
            required: true,
            atLeast: 5,
            atMost: 40,
            long: false
          }
        ]
      }
    )
  })
}

/** The form with the phone number: says only whether it is the account's number. */
export const PhoneTyped: Component<Accounts> = {
  id: /^v1:phone$/,
  answers: "privately",
  reads: true,
  action: () => Effect.succeed({ _tag: "OwnAccount" }),
  handle: Effect.fn("PhoneTyped.handle")(function* ({ fields, reply }, { profile }) {
    const number = Redacted.make((fields["phone"] ?? "").trim())
    const matched = yield* (yield* Accounts).use(reply.userId, ({ users }) => users.verifyPhone(number))
    return Option.some(say(matched ? profile.matched : profile.unmatched))
  })
}

/** Discord shows pictures at public addresses only and refuses others. */
const isPicture = (avatar: string | undefined): avatar is string =>
  avatar !== undefined && URL.canParse(avatar) && new URL(avatar).protocol === "https:" && avatar.length <= 2048
