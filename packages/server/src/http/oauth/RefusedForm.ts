import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as Layout from "../pages/Layout.ts"
import type { Messages } from "../pages/Messages.ts"

/** The response to a refused form; `link` leads to a new one. */
export const respond = (
  reason: ErrorPage.Reason,
  link: { readonly href: string; readonly label: string },
  messages: Messages
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages,
    title: reason.title,
    status: reason.status,
    body: ErrorPage.body({ ...reason, link })
  })
