import * as Schema from "effect/Schema"

/** The scopes that the document names (contract 5.5). */
export const knownScopes = [
  "user.profile.readable",
  "user.contact.readable",
  "user.credit.readable",
  "user.localassistant.readable",
  "user.localassistant.invokable",
  "user.task.readable",
  "user.task.invokable",
  "user.credit.exchange"
] as const

export type KnownScope = (typeof knownScopes)[number]

/** One scope: a {@link KnownScope}, or one that a service adds. */
export type Scope = KnownScope | (string & {})

/**
 * A set of scopes; on the wire separated by single spaces; order and repeats have no meaning (contract decision
 * 33).
 */
export const ScopeSet: Schema.Schema<ReadonlySet<Scope>, string> = Schema.transform(
  Schema.String,
  Schema.ReadonlySetFromSelf(Schema.String),
  {
    strict: true,
    decode: (text): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== "")),
    encode: (scopes) => [...scopes].sort().join(" ")
  }
)
