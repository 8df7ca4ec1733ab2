import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { parse } from "node-html-parser"
import { StackError } from "./StackError.ts"

/**
 * Connects an account like a browser: opens the link, signs in, allows, and follows the redirect to the callback page.
 * Returns its one-time code. Fails with the text of a page that it cannot pass.
 */
export const signIn = Effect.fn("SignIn.signIn")(function* (
  link: string,
  account: { readonly name: string; readonly password: Redacted.Redacted }
) {
  return yield* Effect.tryPromise({
    try: () => completeSignIn(link, account),
    catch: (cause) =>
      new StackError({
        message: `connecting the account failed: ${cause instanceof Error ? cause.message : String(cause)}`,
        status: 1
      })
  })
})

const completeSignIn = async (
  link: string,
  account: { readonly name: string; readonly password: Redacted.Redacted }
) => {
  const jar = new Map<string, string>()
  let page = await visit(jar, link)
  for (let step = 0; step < 6; step++) {
    // The form with the page's main button, "Sign in" or "Allow"; other forms sign out, for example.
    const forms = parse(page.html).querySelectorAll("form")
    const form = forms.find((each) => each.querySelector("button.primary") !== null)
    if (form === undefined) {
      const code = parse(page.html).querySelector(".code")?.textContent.trim()
      if (page.status >= 400 || code === undefined) throw new Error(pageText(page.html))
      return code
    }
    const fields = new URLSearchParams()
    for (const input of form.querySelectorAll("input")) {
      const name = input.getAttribute("name")
      if (name === undefined) continue
      const type = input.getAttribute("type") ?? "text"
      const value = input.getAttribute("value") ?? ""
      fields.set(name, type === "password" ? Redacted.value(account.password) : type === "text" ? account.name : value)
    }
    const button = form.querySelector("button.primary")
    const buttonName = button?.getAttribute("name")
    if (buttonName !== undefined) fields.set(buttonName, button?.getAttribute("value") ?? "")
    page = await visit(jar, new URL(form.getAttribute("action") ?? "", page.url).href, fields)
    if (page.status >= 400) throw new Error(pageText(page.html))
  }
  throw new Error("the sign-in pages did not come to an end")
}

interface Page {
  readonly url: string
  readonly status: number
  readonly html: string
}

/** One navigation with its redirects, like a browser: cookies per host, forms by POST, redirects by GET. */
const visit = async (jar: Map<string, string>, start: string, form?: URLSearchParams): Promise<Page> => {
  let url = start
  let body: URLSearchParams | undefined = form
  for (let hop = 0; hop < 10; hop++) {
    const host = new URL(url).host
    const cookie = [...jar].flatMap(([key, value]) =>
      key.startsWith(`${host} `) ? [`${key.slice(host.length + 1)}=${value}`] : []
    )
    const response: Response = await fetch(url, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        accept: "text/html",
        ...(cookie.length > 0 ? { cookie: cookie.join("; ") } : {}),
        ...(body === undefined ? {} : { origin: new URL(url).origin })
      },
      redirect: "manual",
      ...(body === undefined ? {} : { body })
    })
    for (const set of response.headers.getSetCookie()) {
      const [name, value] = (set.split(";")[0] ?? "").split(/=(.*)/s)
      if (name !== undefined) jar.set(`${host} ${name.trim()}`, value ?? "")
    }
    const location = response.headers.get("location")
    if (response.status < 300 || response.status >= 400 || location === null) {
      return { url, status: response.status, html: await response.text() }
    }
    url = new URL(location, url).href
    body = undefined
  }
  throw new Error("too many redirects")
}

const pageText = (html: string): string =>
  parse(html).querySelector("main, body")?.structuredText.replace(/\s+/g, " ").trim() ?? ""
