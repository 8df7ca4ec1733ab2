import type { OpenApiError } from "@heddle/core/OpenApiError"

/** What happened, what was changed or charged, and what to do next, for every way in which a call can fail. */
export const explain = (error: OpenApiError): string => {
  switch (error._tag) {
    case "InvalidRequest":
    case "Unsupported":
    case "UnexpectedStatus":
    case "AuthorizationPending":
    case "SlowDown":
    case "ExpiredToken":
      return `The service did not accept this: ${said(error)} Nothing was changed. Change your request and try again.${trace(error)}`
    case "InvalidGrant":
    case "Reauthorize":
    case "InvalidToken":
      return "The service no longer accepts the connection to your account. Nothing was changed. Use `/connect` and try again."
    case "InvalidClient":
    case "InvalidScope":
      return `The bot's own access to the service is not set up correctly. Nothing was changed. Please tell the person who runs this bot.${trace(error)}`
    case "SignInRequired":
    case "Forbidden":
    case "PermissionDenied":
    case "PreconditionFailed":
      return `The service does not allow this: ${said(error)} Nothing was changed. If it stays, tell the person who runs this bot.${trace(error)}`
    case "AccessDenied":
      return `The service does not allow this: ${said(error)} Nothing was charged. \`/credit\` shows whether you have credits left.${trace(error)}`
    case "InsufficientScope":
      return `Your connection does not include what this needs${error.required.length === 0 ? "" : ` (${error.required.join(", ")})`}. Nothing was changed. Use \`/disconnect\`, then \`/connect\`.${trace(error)}`
    case "NotFound":
      return `The service does not know this task (any more). Nothing was charged.${trace(error)}`
    case "Conflict":
      return `This was already done, or is not possible now: ${said(error)} It was not done again.${trace(error)}`
    case "RateLimited":
      return `The service is busy with too many requests. Nothing was changed. Try again in ${error.retryAfter === undefined ? "a minute" : `${Math.ceil(error.retryAfter)} seconds`}.${trace(error)}`
    case "ServiceFailure":
      return `The service had a failure of its own. Please try again in a few minutes.${trace(error)}`
    case "EnvelopeError":
      return `The service reported a failure of its own: ${said(error)} Whether something was changed is not known; \`/task list\` shows your tasks.${trace(error)}`
    case "ContractViolation":
      return `The service gave an answer that cannot be read. Whether something was changed is not known; \`/task list\` shows your tasks.${trace(error)}`
    case "Unreachable":
      return "The service could not be reached. Nothing was changed. Please try again in a few minutes."
    case "OutcomeUnknown":
      return "The connection to the service broke before it answered, so it may or may not have worked. `/task list` shows your tasks."
  }
}

const said = (error: { readonly description: string; readonly code: string }): string => {
  const words = error.description.trim() === "" ? error.code : error.description.trim()
  return /[.!?]$/.test(words) ? words : `${words}.`
}

const trace = (error: { readonly requestId?: string | undefined }): string =>
  error.requestId === undefined ? "" : `\n-# request ${error.requestId}`
