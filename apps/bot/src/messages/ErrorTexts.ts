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

/** What a language says about changes: where nothing was changed, where that is unknown, and of two errors by themselves. */
export interface ChangedWords {
  readonly nothing: string
  readonly unknown: string
  readonly Conflict: string
  readonly OutcomeUnknown: string
}

/** What a language says of each kind of error: what happened, and what the person does next. */
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
