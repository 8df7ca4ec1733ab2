import type { ScopeTexts } from "./UserError.ts"

/** What everybody who connects an account is asked for, in the words of one language. */
export const usualScopes = (scopes: ScopeTexts): ReadonlyArray<string> => [
  scopes["user.profile.readable"],
  scopes["user.credit.readable"],
  scopes["user.task.readable"],
  scopes["user.task.invokable"]
]
