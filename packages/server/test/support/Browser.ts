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
  const headers = new Map<string, string>()
  const go = (path: string, init: RequestInit = {}) =>
    Effect.promise(async (): Promise<Page> => {
      const response = await fetch(new URL(path, origin), {
        redirect: "manual",
        ...init,
        headers: {
          accept: "text/html,*/*;q=0.8",
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
          ...Object.fromEntries(headers)
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
    /** What it says beside that, such as from where it was sent. */
    headers,
    get: (path: string) => go(path),
    post: (path: string, fields: Record<string, string>) =>
      go(path, { method: "POST", body: new URLSearchParams(fields) }),
    /** Presses a button of a form, with some fields filled in; boxes stay as they are, or are ticked as listed. */
    press: (page: Page, step: string, filled: Record<string, string> = {}, ticked?: ReadonlyArray<string>) => {
      const button = `name="step" value="${step}"`
      const form = page.text.split("<form").find((part) => part.includes(button))
      if (form === undefined) throw new Error(`no button ${step} on: ${page.text}`)
      const action = unescape(/ action="([^"]*)"/.exec(form)?.[1] ?? "")
      const fields = new URLSearchParams({ step })
      for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
        const name = /\bname="([^"]*)"/.exec(tag)?.[1] ?? ""
        const value = unescape(/\bvalue="([^"]*)"/.exec(tag)?.[1] ?? "")
        const isBox = tag.includes('type="checkbox"')
        if (!isBox) fields.append(name, filled[name] ?? value)
        else if (ticked?.includes(value) ?? / checked\b/.test(tag)) fields.append(name, value)
      }
      return go(action, { method: "POST", body: fields })
    }
  }
}

/** What a person reads: the page without its markup. */
export const words = (page: Page): string =>
  unescape(page.text.replace(/<(style|title)\b[\s\S]*?<\/\1>|<[^>]*>/g, "")).replace(/\s+/g, " ")

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
