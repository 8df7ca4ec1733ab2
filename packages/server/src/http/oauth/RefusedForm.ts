import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as ErrorPage from "../pages/ErrorPage.ts"
import * as Layout from "../pages/Layout.ts"
import type { Messages } from "../pages/Messages.ts"

/** The response to a form that was refused; `way` leads to a fresh one. */
export const respond = (
  reason: ErrorPage.Reason,
  way: { readonly href: string; readonly label: string },
  messages: Messages
): HttpServerResponse.HttpServerResponse =>
  Layout.respond({
    messages,
    title: reason.title,
    status: reason.status,
    body: ErrorPage.body({ ...reason, way })
  })
