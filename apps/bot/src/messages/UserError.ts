import type { KnownScope } from "@heddle/core/domain/Scope"
import type { KnownStatus } from "@heddle/core/domain/TaskStatus"
import type { OpenApiError } from "@heddle/core/OpenApiError"

/** A failure in whole sentences for a person. */
export interface UserError {
  readonly happened: string
  /** Whether data was changed or credits were charged. */
  readonly changed: string
  readonly next: string
}

/** The details of an error besides its tag. */
export interface ErrorDetails {
  /** The service's description without its full stop; undefined in public texts. */
  readonly said: string | undefined
  /** The purposes of the missing scopes. */
  readonly missing: ReadonlyArray<string>
  /** Seconds to wait. */
  readonly wait: number | undefined
}

/** One text for each error of the service. */
export type ErrorTexts = Readonly<Record<OpenApiError["_tag"], (facts: ErrorDetails) => UserError>>

/** Replacements for the usual texts when a call did not concern a task. */
export interface ErrorOverrides {
  /** Empty when the text is not needed. */
  readonly changed: string
  readonly next: Readonly<Partial<Record<OpenApiError["_tag"], string>>>
  /** The next step after the other errors; their own when omitted. */
  readonly otherwise?: string
}

/** The purpose of each scope, as in "The bot may …". */
export type ScopeTexts = Readonly<Record<KnownScope, string>>

/** The display name of each task status. */
export type StatusTexts = Readonly<Record<KnownStatus, string>>

/** The bounds of a form field for its hint. */
export interface FieldHint {
  readonly kind: string
  readonly atLeast?: number
  readonly atMost?: number
}
