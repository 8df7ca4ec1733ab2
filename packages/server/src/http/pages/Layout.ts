import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Crypto from "node:crypto"
import { Html, html } from "./Html.ts"
import { style } from "./Style.ts"
import type { Messages } from "./Messages.ts"

/** The common values of pages with a form. `action` is the URL of the page as browsers see it. */
export interface Form {
  readonly messages: Messages
  readonly action: string
  readonly csrfToken: string
}

/**
 * One page as a response: without scripts, external assets and frames. `formRedirectUrls` are the URLs outside this
 * service whose origins a form may redirect to.
 */
export const respond = (page: {
  readonly messages: Messages
  readonly title: string
  readonly body: Html
  readonly status?: number
  readonly formRedirectUrls?: ReadonlyArray<string>
}): HttpServerResponse.HttpServerResponse => {
  const nonce = Crypto.randomBytes(16).toString("base64")
  const document = html`<!doctype html>
    <html lang="${page.messages.language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Heddle</title>
        <style nonce="${nonce}">
          ${style}
        </style>
      </head>
      <body>
        <header class="brand">${logo} Heddle</header>
        <main>${page.body}</main>
      </body>
    </html> `
  return HttpServerResponse.text(document.markup, {
    status: page.status ?? 200,
    contentType: "text/html; charset=utf-8",
    headers: {
      ...securityHeaders,
      "content-language": page.messages.language,
      "content-security-policy": policy(nonce, page.formRedirectUrls ?? [])
    }
  })
}

const policy = (nonce: string, formRedirectUrls: ReadonlyArray<string>): string =>
  [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    // Browsers apply this to all redirects of a form, and consent redirects back to the application.
    `form-action ${["'self'", ...new Set(formRedirectUrls.map(formActionSource))].join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

/**
 * The origin of a URL as a source of `form-action`. Policies cannot express some hosts, such as IPv6 addresses, and a
 * separator in one would begin another directive. For these it is the scheme only.
 */
const formActionSource = (address: string): string => {
  const { origin, protocol } = new URL(address)
  return /^https?:\/\/[a-z0-9._-]+(:\d+)?$/.test(origin) ? origin : protocol
}

/** Headers that keep a page, or a redirect from one, out of frames, caches and referrers. */
export const securityHeaders = {
  "cache-control": "no-store",
  "x-frame-options": "DENY",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin"
} as const

/** A thread through the eye of a heddle. */
const logo =
  new Html(`<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round"
  aria-hidden="true"><path d="M12 2v5M12 17v5"/><ellipse cx="12" cy="12" rx="3.5" ry="5"/><path d="M2 15c4 0 6-3 10-3s6-3 10-3"/></svg>`)
