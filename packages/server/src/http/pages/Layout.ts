import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Crypto from "node:crypto"
import { html, type Html } from "./Html.ts"
import { style } from "./Style.ts"

/**
 * One page as a response: no script, no outside asset, no frame around it. `formTarget` is the origin, beside this
 * service's own, that a form on it may lead to.
 */
export const respond = (page: {
  readonly title: string
  readonly body: Html
  readonly status?: number
  readonly formTarget?: string
}): HttpServerResponse.HttpServerResponse => {
  const nonce = Crypto.randomBytes(16).toString("base64")
  const document = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title}</title>
        <style nonce="${nonce}">
          ${style}
        </style>
      </head>
      <body>
        <main>${page.body}</main>
      </body>
    </html> `
  return HttpServerResponse.text(document.markup, {
    status: page.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: { ...guards, "content-security-policy": policy(nonce, page.formTarget) }
  })
}

const policy = (nonce: string, formTarget: string | undefined): string =>
  [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    // Browsers hold a form to this through its redirects too, and an answer leads back to the application.
    `form-action 'self'${formTarget === undefined ? "" : ` ${formTarget}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

/** Headers that keep a page, or a redirect from one, out of frames, caches and referrers. */
export const guards = {
  "cache-control": "no-store",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
} as const
