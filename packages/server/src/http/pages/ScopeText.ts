import type { Known, Scope } from "@heddle/core/domain/Scope"

/** What a scope lets an application do, in words for the person who is asked. */
export const of = (scope: Scope): string => (isKnown(scope) ? texts[scope] : `Use “${scope}”`)

const texts: Readonly<Record<Known, string>> = {
  "user.profile.readable": "See your name and picture",
  "user.contact.readable": "Check whether a phone number is yours, without seeing it",
  "user.credit.readable": "See how many credits you have and have used",
  "user.credit.exchange": "Redeem credit codes for you",
  "user.localassistant.readable": "See whether your local assistant is online, and read its messages",
  "user.localassistant.invokable": "Send messages to your local assistant",
  "user.task.readable": "See your tasks, follow their sessions and open what they produced",
  "user.task.invokable": "Start tasks for you, which may use your credits"
}

const isKnown = (scope: Scope): scope is Known => Object.hasOwn(texts, scope)
