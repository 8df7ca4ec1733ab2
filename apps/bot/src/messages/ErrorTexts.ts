import * as Record from "effect/Record"
import type { ErrorTexts, ErrorDetails, UserError } from "./UserError.ts"

/** The words that each error of the service uses; several errors share one kind. */
const kinds = {
  InvalidRequest: "NotAccepted",
  Unsupported: "NotAccepted",
  UnexpectedStatus: "NotAccepted",
  AuthorizationPending: "NotConnectedYet",
  SlowDown: "NotConnectedYet",
  ExpiredToken: "NotConnectedYet",
  InvalidGrant: "NotConnected",
  Reauthorize: "NotConnected",
  InvalidToken: "NotConnected",
  InvalidClient: "NotSetUp",
  InvalidScope: "NotSetUp",
  SignInRequired: "SignInRequired",
  Forbidden: "NotAllowed",
  PermissionDenied: "NotAllowed",
  PreconditionFailed: "PreconditionFailed",
  AccessDenied: "AccessDenied",
  InsufficientScope: "InsufficientScope",
  NotFound: "NotFound",
  Conflict: "Conflict",
  RateLimited: "RateLimited",
  ServiceFailure: "ServiceFailure",
  EnvelopeError: "EnvelopeError",
  ContractViolation: "ContractViolation",
  Unreachable: "Unreachable",
  OutcomeUnknown: "OutcomeUnknown"
} as const satisfies { readonly [Tag in keyof ErrorTexts]: string }

type Kind = (typeof kinds)[keyof typeof kinds]

/** A language's texts on changes: for no change, for an unknown one, and for two single errors. */
export interface ChangedWords {
  readonly nothing: string
  readonly unknown: string
  readonly Conflict: string
  readonly OutcomeUnknown: string
}

/** A language's texts for each kind of error: what happened, and what to do next. */
export type ErrorWords = { readonly [K in Kind]: (facts: ErrorDetails) => Omit<UserError, "changed"> }

/** The texts of one language for every error of the service. */
export const errorTexts = (changed: ChangedWords, words: ErrorWords): ErrorTexts => {
  const changedBy: { readonly [K in Kind]?: string } = {
    Conflict: changed.Conflict,
    ContractViolation: changed.unknown,
    EnvelopeError: changed.unknown,
    OutcomeUnknown: changed.OutcomeUnknown
  }
  return Record.map(kinds, (kind) => (facts: ErrorDetails): UserError => ({
    ...words[kind](facts),
    changed: changedBy[kind] ?? changed.nothing
  }))
}
