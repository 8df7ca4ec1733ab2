import type { OpenApiError } from "@heddle/core/OpenApiError"
import { plain } from "../text/Escape.ts"
import { oneLine } from "../text/Truncate.ts"
import type { Messages } from "./Messages.ts"
import type { ErrorOverrides, UserError } from "./UserError.ts"

/** Joins the three parts, and adds the service's request id. */
export const tell = (
  messages: Pick<Messages, "between" | "request">,
  { changed, happened, next }: UserError,
  requestId?: string
): string => {
  const trace = requestId === undefined ? "" : `\n-# ${messages.request(oneLine(requestId, 100))}`
  const parts = [happened, changed, next].filter((part) => part !== "")
  return `${parts.reduce((text, part) => `${text}${isAscii(text.slice(-1)) ? " " : messages.between}${part}`)}${trace}`
}

/** Words from elsewhere may end in another language. */
const isAscii = (sign: string): boolean => /[!-~]/.test(sign)

/**
 * The purpose of a call. A read changes and charges nothing, so its text does not mention that. `unsent` and `perhapsSent`
 * are calls for a message of a thread, before it is sent to the agent and afterwards.
 */
export type Purpose = "act" | "read" | "redeem" | "unsent" | "perhapsSent"

/**
 * The text for each error of the service: what happened, what changed, what to do next. `none`: no account is
 * connected. Public texts omit the service's own words, which may reveal data of the account.
 */
export const explain = (
  messages: Messages,
  error: OpenApiError,
  audience: "person" | "everybody" = "person",
  purpose: Purpose = "act",
  none = false
): string => {
  const alone = audience === "person"
  const facts = {
    said: alone ? said(error) : undefined,
    missing:
      alone && error._tag === "InsufficientScope" ? error.required.map((scope) => scopeName(messages, scope)) : [],
    wait: "retryAfter" in error && error.retryAfter !== undefined ? Math.ceil(error.retryAfter) : undefined
  }
  const explanation = none ? messages.failures.noAccount : messages.errors[error._tag](facts)
  return tell(messages, { ...explanation, ...suited(messages, error, purpose) }, error.requestId)
}

/** The purpose of a scope, as in "The bot may …". */
export const scopeName = ({ scopes }: Messages, scope: string): string =>
  Object.entries(scopes).find(([known]) => known === scope)?.[1] ?? plain(scope)

const suited = (messages: Messages, { _tag }: OpenApiError, purpose: Purpose): Partial<UserError> => {
  if (purpose === "act") return {}
  const { changed, next, otherwise }: ErrorOverrides =
    purpose === "redeem" ? messages.redeem.failed : messages[purpose === "read" ? "reading" : purpose]
  const other = next[_tag] ?? otherwise
  return { changed, ...(other === undefined ? {} : { next: other }) }
}

const said = (error: OpenApiError): string | undefined => {
  const words = "description" in error ? (error.description ?? "").trim() : ""
  const chosen = words === "" && "code" in error ? error.code : words
  return chosen === "" ? undefined : plain(oneLine(chosen, 500).replace(/[.!?。！？\s]+$/u, ""))
}
