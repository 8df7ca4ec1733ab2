import * as HttpMiddleware from "@effect/platform/HttpMiddleware"
import * as HttpRouter from "@effect/platform/HttpRouter"
import * as HttpServer from "@effect/platform/HttpServer"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Connect } from "../account/Connect.ts"
import { Health } from "./Health.ts"
import { forBrowser } from "../messages/Translations.ts"
import { downloadPath } from "../store/DownloadLinks.ts"
import { reference } from "../text/Reference.ts"
import * as ArtifactHttp from "./ArtifactHttp.ts"
import * as BrowserPage from "./BrowserPage.ts"

/** The path of the OAuth callback. */
export const callbackPath = "/oauth/callback"

const callback = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const connect = yield* Connect
  const { page } = forBrowser(request.headers["accept-language"])
  const params = new URL(request.url, "http://callback").searchParams
  const answered = yield* Effect.either(connect.handleCallback(params))
  if (Either.isLeft(answered)) {
    yield* Effect.logInfo(`A connection did not come about: ${answered.left._tag}`)
    return BrowserPage.failed(answered.left, page)
  }
  return BrowserPage.code(answered.right, page)
}).pipe(
  Effect.catchAllDefect((defect) => {
    const id = reference()
    return Effect.zipRight(
      Effect.logError(`The callback failed (${id})`, defect),
      Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
        BrowserPage.internalError(id, forBrowser(headers["accept-language"]).page)
      )
    )
  })
)

const ready = Effect.gen(function* () {
  const report = yield* (yield* Health).report
  return yield* HttpServerResponse.json(report, { status: report.ready ? 200 : 503 })
})

/** The bot's HTTP pages: the OAuth callback, private downloads and health. */
export const layer = HttpRouter.empty.pipe(
  HttpRouter.get(callbackPath, callback),
  HttpRouter.get(ArtifactHttp.path, ArtifactHttp.download),
  HttpRouter.get("/healthz", HttpServerResponse.json({ live: true })),
  HttpRouter.get("/readyz", ready),
  HttpRouter.all(
    "*",
    Effect.map(HttpServerRequest.HttpServerRequest, ({ headers }) =>
      BrowserPage.notFoundPage(forBrowser(headers["accept-language"]).page)
    )
  ),
  HttpServer.serve(),
  // The URLs of callbacks and downloads contain secrets, which the platform would write into spans.
  HttpMiddleware.withTracerDisabledWhen(({ url }) => /[?&#%]/.test(url) || url.startsWith(downloadPath)),
  Layer.discard
)
