import type { KnownScope, Scope } from "@heddle/core/domain/Scope"
import { english } from "./English.ts"
import type { Messages } from "./Messages.ts"

/** What a scope lets an application do, in the person's language. */
export const of = (scope: Scope, messages: Messages): string =>
  isKnown(scope) ? messages.scopes[scope] : messages.unknownScope(scope)

/** Sorts scopes for a page: those about the person first, unknown ones last. */
export const sort = (scopes: ReadonlySet<Scope>): ReadonlyArray<Scope> => [
  ...order.filter((scope) => scopes.has(scope)),
  ...[...scopes].filter((scope) => !isKnown(scope)).sort()
]

const isKnown = (scope: Scope): scope is KnownScope => Object.hasOwn(english.scopes, scope)

const order = Object.keys(english.scopes)
