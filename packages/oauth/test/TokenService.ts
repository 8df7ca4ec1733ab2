import { NodeHttpClient } from "@effect/platform-node"
import * as TokenEndpoint from "@heddle/oauth/TokenEndpoint"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { once } from "node:events"
import * as Http from "node:http"

/** A form that the token endpoint received, with the headers it came with. */
export interface TokenRequest {
  readonly path: string
  readonly form: URLSearchParams
  readonly headers: Http.IncomingHttpHeaders
}

/** How the service treats the next refreshes. */
export type Behaviour =
  | "rotate"
  | "omit"
  | "null"
  | "empty"
  | "invalidGrant"
  | "invalidClient"
  | "unavailable"
  | "dropAfterwards"
  | "rotateWithReplay"

/**
 * A real token service on a free loopback port. Refresh tokens rotate: each works once, and a second use is
 * `invalid_grant`, as with a service that detects reuse. `rotateWithReplay` answers a second use with the same tokens. The
 * next `lost` requests take effect, but their answers are lost. With `lostAs`, a failure of this status replaces them.
 */
export const make = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = {
      /** Answers wait for this. */
      held: Promise.resolve(),
      behaviour: "rotate" as Behaviour,
      expiresIn: 3600 as unknown,
      delay: 20,
      valid: "r-0",
      count: 0,
      lost: 0,
      /** Fields that are in every granted answer in place of the right ones. */
      odd: {} as Readonly<Record<string, unknown>>,
      lostAs: undefined as number | undefined
    }
    /** Answers to the token that was rotated last, within a service's grace period. */
    const replays = new Map<string, { readonly status: number; readonly body: unknown }>()
    const asked: Array<TokenRequest> = []

    const answer = (form: URLSearchParams): { readonly status: number; readonly body: unknown } => {
      if (form.has("device_code")) return granted({ refresh_token: "r-0" })
      if (form.get("grant_type") === "authorization_code") return granted({ refresh_token: "r-0", open_id: "o-1" })
      if (state.behaviour === "unavailable") return { status: 503, body: { error: "temporarily unavailable" } }
      if (state.behaviour === "invalidClient") return { status: 401, body: { error: "invalid_client" } }
      const replay = state.behaviour === "rotateWithReplay" ? replays.get(form.get("refresh_token") ?? "") : undefined
      if (replay !== undefined) return replay
      if (state.behaviour === "invalidGrant" || form.get("refresh_token") !== state.valid) {
        const description = `bad ${form.get("refresh_token")}`
        return {
          status: 400,
          body: { error: "invalid_grant", error_description: description, request_id: "trace-1" }
        }
      }
      state.count += 1
      switch (state.behaviour) {
        case "omit":
          return granted({})
        case "null":
          return granted({ refresh_token: null })
        case "empty":
          return granted({ refresh_token: "" })
        default: {
          const used = state.valid
          state.valid = `r-${state.count}`
          replays.set(used, granted({ refresh_token: state.valid }))
          return granted({ refresh_token: state.valid })
        }
      }
    }

    const granted = (rest: Record<string, unknown>) => ({
      status: 200,
      body: {
        access_token: `a-${state.count}`,
        token_type: "bearer",
        expires_in: state.expiresIn,
        scope: "user.task.readable  user.profile.readable",
        ...rest,
        ...state.odd
      }
    })

    const server = Http.createServer(async (request, response) => {
      const parts: Array<Buffer> = []
      for await (const part of request) parts.push(part)
      const form = new URLSearchParams(Buffer.concat(parts).toString())
      const path = request.url ?? ""
      asked.push({ path, form, headers: request.headers })
      if (path === "/openapi/v2/revoke") {
        return response.writeHead(state.behaviour === "unavailable" ? 503 : 200).end()
      }
      const { body, status } = answer(form)
      if (state.behaviour === "dropAfterwards") return response.destroy()
      if (state.lost > 0) {
        state.lost -= 1
        return state.lostAs === undefined ? response.destroy() : response.writeHead(state.lostAs).end()
      }
      await state.held
      setTimeout(() => {
        response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
        response.end(JSON.stringify(body))
      }, state.delay)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { asked, state, server, url: `http://127.0.0.1:${port}` }
  }),
  ({ server }) =>
    Effect.async<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    })
)

export type TokenService = Effect.Effect.Success<typeof make>

/** The token endpoint of the service, with its path for revocations. */
export const endpoint = (url: string) =>
  TokenEndpoint.layer({
    baseUrl: url,
    clientId: "app",
    clientSecret: Redacted.make("s"),
    revocationPath: "/openapi/v2/revoke"
  }).pipe(Layer.provide(NodeHttpClient.layer))

/** Starts something and waits until the request that it sends has arrived. */
export const untilRequest = <A, E, R>(
  { server }: Pick<TokenService, "server">,
  start: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const arrived = once(server, "request")
    return Effect.tap(start, () => Effect.promise(() => arrived))
  })

/** Holds the answers of the service until the returned effect runs. */
export const holdAnswers = ({ state }: Pick<TokenService, "state">): Effect.Effect<Effect.Effect<boolean>> =>
  Effect.map(Deferred.make<void>(), (released) => {
    state.held = Effect.runPromise(Deferred.await(released))
    return Deferred.succeed(released, undefined)
  })
