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

/** Whether a route is a page that people open, not an endpoint for programs. */
export const isPage = (pattern: string): boolean =>
  [AuthorizePages.path, ConnectedAppsPages.path, DevicePages.path].includes(pattern)

/** The page that tells a person what failed, if it is one who asked: programs get the error body of everything else. */
export const of = (
  failure: { readonly status: number; readonly refusal: OpenApiError.Refusal; readonly requestId: string },
  request: HttpServerRequest.HttpServerRequest,
  pattern: string
): Option.Option<HttpServerResponse.HttpServerResponse> => {
  if (!isPage(pattern) || !(request.headers["accept"] ?? "").includes("text/html")) return Option.none()
  const messages = Locale.of(request, Query.of(request.url).get("ui_locales"))
  const why = reason(failure, messages)
  return Option.some(Layout.respond({ messages, title: why.title, status: why.status, body: ErrorPage.body(why) }))
}

const reason = (
  {
    refusal,
    requestId,
    status
  }: { readonly status: number; readonly refusal: OpenApiError.Refusal; readonly requestId: string },
  messages: Messages
): ErrorPage.Reason => {
  if (status === 429) return messages.tooOften(refusal.retryAfter ?? 60)
  return status >= 500 ? messages.failed(requestId, status) : messages.unreadable(refusal.description, status)
}
