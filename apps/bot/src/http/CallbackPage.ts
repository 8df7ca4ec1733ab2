import { createHash } from "node:crypto"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { OpenApiError } from "@heddle/core/OpenApiError"
import type { CallbackRejected } from "@heddle/oauth/AuthorizationResponse"

/** The account is connected; `resumed` tasks start by themselves. */
export const connected = (resumed: number) =>
  page(200, "Connected", [
    resumed === 0
      ? "Your account is connected. Go back to Discord: /task new starts a task."
      : "Your account is connected, and your task is starting. Go back to Discord.",
    "You can close this page."
  ])

/** What went wrong, and what to do. */
export const failed = (error: CallbackRejected | OpenApiError) => {
  switch (error._tag) {
    case "CallbackRejected":
      if (unusable.has(error.reason)) {
        return page(400, "This link cannot be used", [
          "It was used before, or it is not one of ours. Nothing was connected by it.",
          "Use /connect in Discord for a new link."
        ])
      }
      return page(400, "Not connected", [error.message, "Use /connect in Discord for a new link."])
    case "AccessDenied":
      return page(200, "Not connected", [
        "You did not allow the access, so nothing was connected.",
        "If you change your mind, use /connect in Discord."
      ])
    case "InvalidGrant":
      return page(400, "Not connected", [
        "The service did not accept the answer, perhaps because it took too long.",
        "Use /connect in Discord for a new link."
      ])
    case "InvalidClient":
    case "InvalidScope":
      return page(500, "Not connected", [
        "The bot is not set up correctly at the service. Nothing was connected.",
        "Please tell the person who runs the bot."
      ])
    default:
      return page(502, "Not connected", [
        "The service could not finish the connection. Nothing was connected.",
        "Wait a minute, then use /connect in Discord for a new link."
      ])
  }
}

/** A failure of the bot itself; `id` finds it in the log. */
export const broken = (id: string) =>
  page(500, "Something went wrong", [
    "The connection could not be finished. Use /connect in Discord and try again.",
    `If it happens again, report this number: ${id}.`
  ])

const unusable: ReadonlySet<CallbackRejected["reason"]> = new Set(["stateMissing", "stateForeign", "stateUsed"])

const page = (status: number, title: string, lines: ReadonlyArray<string>) =>
  HttpServerResponse.text(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="sign" aria-hidden="true">${status === 200 && title === "Connected" ? "✓" : "!"}</p>
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
