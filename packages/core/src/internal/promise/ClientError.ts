import * as Assistant from "../../Assistant.ts"
import * as BaseUrl from "../../BaseUrl.ts"
import * as OpenApiError from "../../OpenApiError.ts"
import * as Redemptions from "../../Redemptions.ts"
import * as Tasks from "../../Tasks.ts"

/** The fields of every error of this package; `message` says for people what happened and what to do next. */
export interface ClientError extends Error {
  /** The service's code word, such as `rate_limited`, or the error's own name in that spelling. */
  readonly code: string
  /** The HTTP status, where the service refused. */
  readonly status?: number
  /** The service's request id, for reports. */
  readonly requestId?: string
  /** How many seconds the service asks to wait. */
  readonly retryAfter?: number
}

/** Whether an error is one of this package, and not the reason of a signal, a wrong argument or a defect. */
export const isClientError = (error: unknown): error is ClientError => classes.some((each) => error instanceof each)

/** Gives an error of this package a `code`, where the service sent none. */
export const withCode = (error: unknown): unknown => {
  if (isClientError(error) && !("code" in error)) {
    const code = (error as Error).name.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()
    Object.defineProperty(error, "code", { value: code, enumerable: true })
  }
  return error
}

const classes = [
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
