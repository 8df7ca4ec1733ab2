import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Crypto from "node:crypto"
import * as Zlib from "node:zlib"
import * as Document from "./openapi/Document.ts"
import type { Json } from "./openapi/StrictSchema.ts"
import { ServerConfig } from "../config/ServerConfig.ts"

/**
 * `/openapi.json`, the contract for programs, and `/reference`, the same for people: the platform's Swagger UI in one
 * page without external requests. The first request makes them.
 */
export const layer: Layer.Layer<never, never, ServerConfig> = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const settings = yield* ServerConfig
    const document = yield* Effect.cached(Effect.sync(() => Document.make(settings)))
    const page = yield* Effect.cached(Effect.flatMap(document, renderReference))

    yield* router.get(
      "/openapi.json",
      Effect.map(document, (json) => HttpServerResponse.unsafeJson(json))
    )
    yield* router.get(
      "/reference",
      Effect.gen(function* () {
        const { html, policy, zipped: gzipped } = yield* page
        const { headers } = yield* HttpServerRequest.HttpServerRequest
        const acceptsGzip = /\bgzip\b/.test(headers["accept-encoding"] ?? "")
        return HttpServerResponse.uint8Array(acceptsGzip ? gzipped : html, {
          contentType: "text/html; charset=utf-8",
          headers: {
            ...(acceptsGzip ? { "content-encoding": "gzip" } : {}),
            vary: "accept-encoding",
            "content-security-policy": policy,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "no-referrer"
          }
        })
      })
    )
  })
)

const renderReference = (document: Json) =>
  Effect.promise(async () => {
    // Load these two megabytes of script only when a request needs them.
    const [HttpLayerRouter, Swagger] = await Promise.all([
      import("@effect/platform/HttpLayerRouter"),
      import("@effect/platform/HttpApiSwagger")
    ])
    const api = HttpApi.make("reference").annotate(OpenApi.Transform, () => document)
    const { dispose, handler } = HttpLayerRouter.toWebHandler(
      Swagger.layerHttpLayerRouter({ api, path: "/reference" }),
      { disableLogger: true }
    )
    const html = await (await handler(new Request("http://localhost/reference"))).text()
    await dispose()
    const bytes = Buffer.from(html)
    return { html: bytes, zipped: Zlib.gzipSync(bytes), policy: policyFor(html) }
  })

/** Allows the page's own scripts, requests to this service and embedded images only. */
const policyFor = (html: string): string => {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, text = ""]) => `'sha256-${Crypto.createHash("sha256").update(text).digest("base64")}'`
  )
  return [
    "default-src 'none'",
    `script-src ${scripts.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}
