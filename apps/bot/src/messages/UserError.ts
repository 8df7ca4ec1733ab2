import type { Known as KnownScope } from "@heddle/core/domain/Scope"
import type { Known as KnownStatus } from "@heddle/core/domain/TaskStatus"
import type { OpenApiError } from "@heddle/core/OpenApiError"

/** What a person is told of something that did not work, in whole sentences. */
export interface UserError {
  readonly happened: string
  /** Whether anything was changed or charged. */
  readonly changed: string
  readonly next: string
}

/** What is known of a refusal besides its kind. */
export interface ErrorDetails {
  /** The service's own words without their last stop; undefined where others read them, too. */
  readonly said: string | undefined
  /** What the missing access is for, in words. */
  readonly missing: ReadonlyArray<string>
  /** Seconds to wait. */
  readonly wait: number | undefined
}

/** One entry for each way in which a call of the service can fail. */
export type ErrorTexts = Readonly<Record<OpenApiError["_tag"], (facts: ErrorDetails) => UserError>>

/** What is said in place of the usual where a call was for something else than work on a task. */
export interface ErrorOverrides {
  /** Empty where nobody asks. */
  readonly changed: string
  readonly next: Readonly<Partial<Record<OpenApiError["_tag"], string>>>
}

/** What each scope is for, as in "The bot may …". */
export type ScopeTexts = Readonly<Record<KnownScope, string>>

/** What each status of a task is called. */
export type StatusTexts = Readonly<Record<KnownStatus, string>>

/** A form's field as far as its hint tells of it. */
export interface FieldHint {
  readonly kind: string
  readonly atLeast?: number
  readonly atMost?: number
}
