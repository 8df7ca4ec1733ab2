import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type * as OpenApiError from "@heddle/core/OpenApiError"
import * as Option from "effect/Option"
import * as AuthorizePages from "./AuthorizePages.ts"
import * as ConnectedAppsPages from "./ConnectedAppsPages.ts"
import * as DevicePages from "./DevicePages.ts"
import * as Layout from "./pages/Layout.ts"
import * as ProblemPage from "./pages/ProblemPage.ts"

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
  const words = reason(failure)
  return Option.some(Layout.respond({ title: words.title, status: words.status, body: ProblemPage.body(words) }))
}

const reason = ({
  refusal,
  requestId,
  status
}: {
  readonly status: number
  readonly refusal: OpenApiError.Refusal
  readonly requestId: string
}): ProblemPage.Reason => {
  if (status === 429) {
    const { retryAfter = 60 } = refusal
    return {
      title: "Too many requests",
      text: "More requests came from your network than this service takes at once. Nothing was done.",
      advice: `Wait ${retryAfter === 1 ? "a second" : `${retryAfter} seconds`}, then load this page again.`,
      status
    }
  }
  if (status >= 500) {
    return {
      title: "Something went wrong here",
      text: "The service failed on this request. It is not known whether anything was done.",
      advice: `Go back and try again; if it stays, tell whoever runs this service the request id ${requestId}.`,
      status
    }
  }
  return {
    title: "This request cannot be read",
    text: refusal.description,
    advice: "Nothing was done. Go back to where you came from and start again.",
    status
  }
}
