import type { KnownScope, Scope } from "@heddle/core/domain/Scope"
import { english } from "./English.ts"
import type { Messages } from "./Messages.ts"

/** What a scope lets an application do, in words for the person who is asked. */
export const of = (scope: Scope, messages: Messages): string =>
  isKnown(scope) ? messages.scopes[scope] : messages.unknownScope(scope)

/** Scopes in the order in which they are read: what is about the person first, what is unknown last. */
export const sorted = (scopes: ReadonlySet<Scope>): ReadonlyArray<Scope> => [
  ...order.filter((scope) => scopes.has(scope)),
  ...[...scopes].filter((scope) => !isKnown(scope)).sort()
]

const isKnown = (scope: Scope): scope is KnownScope => Object.hasOwn(english.scopes, scope)

const order = Object.keys(english.scopes)
