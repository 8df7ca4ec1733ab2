import * as Exit from "effect/Exit"
import * as BodySource from "./BodySource.ts"
import type { Response, Send, SendFailure } from "./Request.ts"

/** Sends requests with a `fetch` function. */
export const make =
  (fetch: typeof globalThis.fetch): Send =>
  ({ body, headers, method, url }) => {
    const controller = new AbortController()
    const result = fetch(url, {
      method,
      headers: body === undefined ? headers : { ...headers, "content-type": body.contentType },
      body: body?.text ?? null,
      redirect: "manual",
      signal: controller.signal
    }).then(
      (response) => Exit.succeed(responseOf(response)),
      (cause: unknown) => Exit.fail<SendFailure>({ _tag: "SendFailure", isInvalid: false, cause })
    )
    return { result, stop: () => controller.abort() }
  }

const responseOf = (response: globalThis.Response): Response => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: (limit) => BodySource.read(response.body, limit)
})
