import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as OpenApiError from "@heddle/core/OpenApiError"
import * as Option from "effect/Option"
import * as AuthorizePages from "../oauth/AuthorizePages.ts"
import * as ConnectedAppsPages from "../oauth/ConnectedAppsPages.ts"
import * as DevicePages from "../oauth/DevicePages.ts"
import * as Layout from "../pages/Layout.ts"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as Locale from "../pages/Locale.ts"
import type { Messages } from "../pages/Messages.ts"
import * as Query from "../message/Query.ts"

/** Tells whether a route is a page for people, not an endpoint for programs. */
export const isPage = (pattern: string): boolean =>
  [AuthorizePages.path, ConnectedAppsPages.path, DevicePages.path].includes(pattern)

/** The error page for a person; none for programs, which get the common error body. */
export const of = (
  failure: { readonly status: number; readonly refusal: OpenApiError.Refusal; readonly requestId: string },
  request: HttpServerRequest.HttpServerRequest,
  pattern: string
): Option.Option<HttpServerResponse.HttpServerResponse> => {
  if (!isPage(pattern) || !(request.headers["accept"] ?? "").includes("text/html")) return Option.none()
  const messages = Locale.messagesFor(request, Query.of(request.url).get("ui_locales"))
  const reason = reasonFor(failure, messages)
  return Option.some(
    Layout.respond({ messages, title: reason.title, status: reason.status, body: ErrorPage.body(reason) })
  )
}

const reasonFor = (
  {
    refusal,
    requestId,
    status
  }: { readonly status: number; readonly refusal: OpenApiError.Refusal; readonly requestId: string },
  messages: Messages
): ErrorPage.Reason => {
  if (status === 429) return messages.tooManyRequests(refusal.retryAfter ?? 60)
  return status >= 500
    ? messages.serviceFailed(requestId, status)
    : messages.invalidRequest(refusal.description, status)
}
