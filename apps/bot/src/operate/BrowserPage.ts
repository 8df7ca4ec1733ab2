import { createHash } from "node:crypto"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { CallbackRejected } from "@heddle/oauth/AuthorizationResponse"
import * as Redacted from "effect/Redacted"
import type { CodePage } from "../account/Connect.ts"
import type { Messages } from "../messages/Messages.ts"

/** The one-time code and the person of the link, so that readers can check that it is theirs. */
export const code = ({ code, displayName, minutes, userName }: CodePage, words: Words) => {
  const displayNameNote =
    displayName === "" || displayName === userName ? "" : ` ${isolate(words.shownAs(displayName))}`
  return document(words, 200, words.code, "→", [
    // The person comes first, for readers who did not request the link.
    paragraph(words.codeFor),
    `<p class="who"><strong>${isolate(`@${userName}`)}</strong>${displayNameNote}</p>`,
    `<p class="warning">⚠ ${escape(words.codeWarning)}</p>`,
    paragraph(words.codeText),
    `<p class="code" translate="no">${escape(Redacted.value(code))}</p>`,
    paragraph(words.codeTime(minutes))
  ])
}

/** The failure and the next step. */
export const failed = (error: CallbackRejected | OpenApiError, words: Words) => {
  switch (error._tag) {
    case "CallbackRejected":
      return unusableReasons.has(error.reason)
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

/** A failure of the bot; `id` finds it in the log. */
export const internalError = (id: string, words: Words) =>
  page(words, 500, words.internalError, [words.internalErrorText, words.report(id)])

/** The page of an unknown address. */
export const notFoundPage = (words: Words) => page(words, 404, words.notFound, [words.newLink])

/** An expired or invalid download link. */
export const linkGone = (words: Words) => page(words, 404, words.linkGone, [words.linkGoneText, words.newDownload])

/** The task does not return the file now. */
export const fileUnavailable = (words: Words) =>
  page(words, 502, words.fileUnavailable, [words.fileUnavailableText, words.newDownload])

type Words = Messages["page"]

const unusableReasons: ReadonlySet<CallbackRejected["reason"]> = new Set(["stateMissing", "stateForeign", "stateUsed"])

const page = (words: Words, status: number, title: string, lines: ReadonlyArray<string>) =>
  document(words, status, title, "!", lines.map(paragraph))

const paragraph = (text: string): string => `<p>${escape(text)}</p>`

/** Isolates names, so that they cannot reverse the text beside them. */
const isolate = (text: string): string => `<bdi>${escape(text)}</bdi>`

const document = (words: Words, status: number, title: string, sign: string, lines: ReadonlyArray<string>) =>
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
<p class="sign" aria-hidden="true">${sign}</p>
<h1>${escape(title)}</h1>
${lines.join("\n")}
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
.code { font: 600 2rem/1.2 ui-monospace, monospace; letter-spacing: .08em; text-align: center; user-select: all; margin: 1rem 0 }
.who { overflow-wrap: anywhere }
.warning { padding: .75rem 1rem; border-radius: 8px; background: light-dark(#fff3cd, #4a3c10) }
`

const styleHash = (): string => createHash("sha256").update(style).digest("base64")
