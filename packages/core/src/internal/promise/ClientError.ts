import * as Assistant from "../../Assistant.ts"
import * as BaseUrl from "../../BaseUrl.ts"
import * as OpenApiError from "../../OpenApiError.ts"
import * as Redemptions from "../../Redemptions.ts"
import * as Tasks from "../../Tasks.ts"

/** The fields of every error of this package; `message` tells people what happened and what to do next. */
export interface ClientError extends Error {
  /** The service's error code, such as `rate_limited`, or the error's own name in that spelling. */
  readonly code: string
  /** The HTTP status, if the service refused. */
  readonly status?: number
  /** The service's request id, for reports. */
  readonly requestId?: string
  /** How many seconds the service asks to wait. */
  readonly retryAfter?: number
}

/** Whether an error is one of this package, not the reason of a signal, a `TypeError` or a defect. */
export const isClientError = (error: unknown): error is ClientError =>
  errorClasses.some((errorClass) => error instanceof errorClass)

/** Adds a `code` to an error of this package that has none. */
export const withCode = (error: unknown): unknown => {
  if (isClientError(error) && !("code" in error)) {
    const code = (error as Error).name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()
    Object.defineProperty(error, "code", { value: code, enumerable: true })
  }
  return error
}

const errorClasses = [
  ...OpenApiError.Refusal.members,
  OpenApiError.ContractViolation,
  OpenApiError.Unreachable,
  OpenApiError.OutcomeUnknown,
  OpenApiError.Reauthorize,
  BaseUrl.InvalidBaseUrl,
  Assistant.AssistantOffline,
  Assistant.PermissionResponseUnsupported,
  Tasks.ChannelUnavailable,
  Redemptions.InvalidRedemption,
  Redemptions.RedemptionPending,
  Redemptions.AlreadyHandled,
  Redemptions.RefusedAfterLostAnswer,
  Redemptions.RedemptionOutcomeUnknown
]
