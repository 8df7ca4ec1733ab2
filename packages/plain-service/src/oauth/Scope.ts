/** Every scope of the document (5). */
export const scopes = [
  "user.profile.readable",
  "user.contact.readable",
  "user.credit.readable",
  "user.localassistant.readable",
  "user.localassistant.invokable",
  "user.task.readable",
  "user.task.invokable",
  "user.credit.exchange"
] as const

/** A permission that an operation needs (5). */
export type Scope = (typeof scopes)[number]
