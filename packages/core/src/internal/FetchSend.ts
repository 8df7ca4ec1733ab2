import * as Effect from "effect/Effect"
import * as BodySource from "./BodySource.ts"
import type { Response, Send } from "./Request.ts"

/** Sends requests with a `fetch` function. */
export const make =
  (fetch: typeof globalThis.fetch): Send =>
  ({ body, headers, method, url }) =>
    Effect.async<globalThis.Response, unknown>((resume) => {
      const controller = new AbortController()
      fetch(url, {
        method,
        headers: body === undefined ? headers : { ...headers, "content-type": body.contentType },
        body: body?.text ?? null,
        redirect: "manual",
        signal: controller.signal
      }).then(
        (response) => resume(Effect.succeed(response)),
        (cause) => resume(Effect.fail(cause))
      )
      return Effect.sync(() => controller.abort())
    }).pipe(
      Effect.mapBoth({
        onFailure: (cause) => ({ _tag: "SendFailure", isInvalid: false, cause }) as const,
        onSuccess: responseOf
      })
    )

const responseOf = (response: globalThis.Response): Response => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: (limit) => BodySource.read(response.body, limit)
})
