import type { ScopeTexts } from "./UserError.ts"

/** The scopes of every connection, in a language's words. */
export const usualScopes = (scopes: ScopeTexts): ReadonlyArray<string> => [
  scopes["user.profile.readable"],
  scopes["user.credit.readable"],
  scopes["user.task.readable"],
  scopes["user.task.invokable"]
]
