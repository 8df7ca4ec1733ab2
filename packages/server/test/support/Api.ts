import * as Effect from "effect/Effect"
import { authorize } from "./Browser.ts"
import { redirectUri, type TestServer } from "./TestServer.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}

export const request = (server: Pick<TestServer, "at">, path: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Answer> => {
    const response = await fetch(server.at(path), { redirect: "manual", ...init })
    const text = await response.text()
    const isJson = (response.headers.get("content-type") ?? "").startsWith("application/json")
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson && text !== "" ? JSON.parse(text) : {}
    }
  })

export const token = (server: TestServer, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  request(server, "/openapi/v2/token", { method: "POST", body: new URLSearchParams(fields), headers })

export const codeFields = (server: TestServer, code: string) => ({
  grant_type: "authorization_code",
  code,
  client_id: server.clientId,
  client_secret: server.clientSecret,
  redirect_uri: redirectUri
})

export const refreshFields = (server: TestServer, refreshToken: string) => ({
  grant_type: "refresh_token",
  refresh_token: refreshToken,
  client_id: server.clientId,
  client_secret: server.clientSecret
})

/** An authorization code after sign-in and consent. */
export const code = (server: TestServer, more: Record<string, string> = {}) =>
  Effect.map(authorize(server, more), (callback) => callback.get("code") ?? "")

/** A request below `/openapi/v2` with an access token. */
export const call = (
  server: Pick<TestServer, "at">,
  accessToken: string,
  path: string,
  init?: Parameters<typeof withToken>[1]
) => request(server, `/openapi/v2${path}`, withToken(accessToken, init))

/** Says whether the service accepts this access token. */
export const works = (server: TestServer, accessToken: unknown) =>
  Effect.map(call(server, String(accessToken), "/credit"), ({ status }) => status === 200)

/** A token response after the whole flow. */
export const connect = (server: TestServer, more: Record<string, string> = {}) =>
  Effect.gen(function* () {
    const callback = yield* authorize(server, more)
    const answer = yield* token(server, codeFields(server, callback.get("code") ?? ""))
    return answer.json as {
      access_token: string
      refresh_token: string
      expires_in: number
      scope: string
      open_id: string
    }
  })

export const withToken = (
  accessToken: string,
  init: { method?: string; json?: unknown; headers?: Record<string, string> } = {}
) => ({
  method: init.method ?? (init.json === undefined ? "GET" : "POST"),
  headers: {
    authorization: `Bearer ${accessToken}`,
    ...(init.json === undefined ? {} : { "content-type": "application/json" }),
    ...init.headers
  },
  ...(init.json === undefined ? {} : { body: JSON.stringify(init.json) })
})
