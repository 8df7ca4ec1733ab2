import * as Effect from "effect/Effect"
import { redirectUri, type TestServer } from "./TestServer.ts"

/** What a browser sees: no redirect is followed on its own. */
export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A browser with a cookie jar that reads forms and presses their buttons. */
export const make = (origin: string) => {
  const jar = new Map<string, string>()
  const go = (path: string, init: RequestInit = {}) =>
    Effect.promise(async (): Promise<Page> => {
      const response = await fetch(new URL(path, origin), {
        redirect: "manual",
        ...init,
        headers: {
          accept: "text/html,*/*;q=0.8",
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
          ...(init.headers as Record<string, string> | undefined)
        }
      })
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ""] = cookie.split(";")
        jar.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1))
      }
      return { status: response.status, headers: response.headers, text: await response.text() }
    })
  return {
    jar,
    get: (path: string) => go(path),
    post: (path: string, fields: Record<string, string>) =>
      go(path, { method: "POST", body: new URLSearchParams(fields) }),
    /** Presses a button of the page's form, with some fields filled in. */
    press: (page: Page, step: string, filled: Record<string, string> = {}) => {
      const action = unescape(/<form[^>]* action="([^"]*)"/.exec(page.text)?.[1] ?? "")
      const fields = new URLSearchParams()
      for (const [tag] of page.text.matchAll(/<input\b[^>]*>/g)) {
        const name = /\bname="([^"]*)"/.exec(tag)?.[1] ?? ""
        fields.set(name, filled[name] ?? unescape(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? ""))
      }
      if (!page.text.includes(`name="step" value="${step}"`)) throw new Error(`no button ${step} on: ${page.text}`)
      fields.set("step", step)
      return go(action, { method: "POST", body: fields })
    }
  }
}

const unescape = (text: string) => text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

export const authorizePath = (server: Pick<TestServer, "url" | "clientId">, more: Record<string, string> = {}) =>
  `/openapi/v2/authorize?${new URLSearchParams({
    response_type: "code",
    client_id: server.clientId,
    redirect_uri: redirectUri,
    state: "s t/a&te",
    ...more
  })}`

/** Goes through sign-in and consent; gives the callback's parameters. */
export const authorize = (server: TestServer, more: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const browser = make(server.url)
    const signIn = yield* browser.get(authorizePath(server, more))
    const signedIn = yield* browser.press(signIn, "sign_in", { name: "ada", password: "correct horse" })
    let page = yield* browser.get(signedIn.headers.get("location") ?? "")
    if (page.status === 200) page = yield* browser.press(page, "allow")
    return new URL(page.headers.get("location") ?? "").searchParams
  })
