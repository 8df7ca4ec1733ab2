import { createHash } from "node:crypto"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { CallbackRejected } from "@heddle/oauth/AuthorizationResponse"
import type { Messages } from "../messages/Messages.ts"

/** The account is connected; `resumed` tasks start by themselves. */
export const connected = (resumed: number, words: Words) =>
  page(words, 200, words.connected, [resumed === 0 ? words.connectedText : words.connectedStarting, words.close], true)

/** What went wrong, and what to do. */
export const failed = (error: CallbackRejected | OpenApiError, words: Words) => {
  switch (error._tag) {
    case "CallbackRejected":
      return unusable.has(error.reason)
        ? page(words, 400, words.unusable, [words.unusableText, words.newLink])
        : page(words, 400, words.notConnected, [words.rejected, words.newLink])
    case "AccessDenied":
      return page(words, 200, words.notConnected, [words.denied, words.changedMind])
    case "InvalidGrant":
      return page(words, 400, words.notConnected, [words.notAccepted, words.newLink])
    case "InvalidClient":
    case "InvalidScope":
      return page(words, 500, words.notConnected, [words.notSetUp, words.tellOperator])
    default:
      return page(words, 502, words.notConnected, [words.notFinished, words.waitForNewLink])
  }
}

/** A failure of the bot itself; `id` finds it in the log. */
export const broken = (id: string, words: Words) => page(words, 500, words.broken, [words.brokenText, words.report(id)])

/** A download link that has ended, or was never one. */
export const linkGone = (words: Words) => page(words, 404, words.linkGone, [words.linkGoneText, words.newDownload])

/** The task does not hand the file out now. */
export const fileAway = (words: Words) => page(words, 502, words.fileAway, [words.fileAwayText, words.newDownload])

type Words = Messages["page"]

const unusable: ReadonlySet<CallbackRejected["reason"]> = new Set(["stateMissing", "stateForeign", "stateUsed"])

const page = (words: Words, status: number, title: string, lines: ReadonlyArray<string>, good = false) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="${words.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="sign" aria-hidden="true">${good ? "✓" : "!"}</p>
<h1>${escape(title)}</h1>
${lines.map((line) => `<p>${escape(line)}</p>`).join("\n")}
</main>
</body>
</html>
`,
    {
      status,
      contentType: "text/html; charset=utf-8",
      headers: {
        "cache-control": "no-store",
        "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash()}'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY"
      }
    }
  )

const escape = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

const style = `
:root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: light-dark(#f2f3f5, #1e1f22); color: light-dark(#1e1f22, #f2f3f5) }
main { max-width: 26rem; margin: 1rem; padding: 2rem; border-radius: 12px; background: light-dark(#fff, #2b2d31); box-shadow: 0 2px 12px #0003 }
h1 { font-size: 1.4rem; margin: .5rem 0 }
.sign { font-size: 2rem; margin: 0 }
`

const styleHash = (): string => createHash("sha256").update(style).digest("base64")
