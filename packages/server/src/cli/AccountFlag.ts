import * as Setting from "@heddle/command-line/Setting"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../accounts/Accounts.ts"
import { Failure } from "./Failure.ts"

/** `--user`: the account that a command is about. */
export const user = Setting.required("user", "The user_id of the account")

/** Fails unless there is such an account. */
export const demand = Effect.fnUntraced(function* (userId: string) {
  if (Option.isSome(yield* (yield* Accounts).get(userId))) return
  return yield* new Failure({
    message: `There is no account ${userId}. The id is the user_id that "user create" printed.`
  })
})
