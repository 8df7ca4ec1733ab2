import type { Known, Scope } from "@heddle/core/domain/Scope"

/** What a scope lets an application do, in words for the person who is asked. */
export const of = (scope: Scope): string =>
  isKnown(scope)
    ? texts[scope]
    : `Use “${scope}”, which this page has no words for: allow it only if you know what it is`

/** Scopes in the order in which they are read: what is about the person first, what is unknown last. */
export const sorted = (scopes: ReadonlySet<Scope>): ReadonlyArray<Scope> => [
  ...order.filter((scope) => scopes.has(scope)),
  ...[...scopes].filter((scope) => !isKnown(scope)).sort()
]

const texts: Readonly<Record<Known, string>> = {
  "user.profile.readable": "See your name and picture",
  "user.contact.readable": "Check whether a phone number is yours, without seeing it",
  "user.credit.readable": "See how many credits you have and have used",
  "user.credit.exchange": "Redeem credit codes and vouchers for you",
  "user.task.readable": "See your tasks, follow their sessions and open what they produced",
  "user.task.invokable": "Start tasks for you, which may use your credits",
  "user.localassistant.readable": "See whether your local assistant is online, and read its messages",
  "user.localassistant.invokable": "Send messages to your local assistant, which acts on them on your computer"
}

const isKnown = (scope: Scope): scope is Known => Object.hasOwn(texts, scope)

const order = Object.keys(texts)
