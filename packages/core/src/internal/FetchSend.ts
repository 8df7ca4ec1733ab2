import * as Exit from "effect/Exit"
import * as BodySource from "./BodySource.ts"
import type { Response, Send, SendFailure } from "./Request.ts"

/** Sends requests with a `fetch` function. */
export const make =
  (fetch: typeof globalThis.fetch): Send =>
  ({ body, headers, method, url }) => {
    const controller = new AbortController()
    const send = async (): Promise<Exit.Exit<Response, SendFailure>> => {
      try {
        const response = await fetch(url, {
          method,
          headers: body === undefined ? headers : { ...headers, "content-type": body.contentType },
          body: body?.text ?? null,
          redirect: "manual",
          signal: controller.signal
        })
        return Exit.succeed(responseOf(response))
      } catch (cause) {
        return Exit.fail({ _tag: "SendFailure", isInvalid: false, cause })
      }
    }
    return { result: send(), stop: () => controller.abort() }
  }

const responseOf = (response: globalThis.Response): Response => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: (limit) => BodySource.read(response.body, limit)
})
