import type { PlainService } from "@heddle/plain-service"
import { describe, expect, it } from "vitest"
import { apiOf } from "./Api.ts"
import { startService } from "./Services.ts"

const authorize = (service: PlainService, changed: Record<string, string> = {}) => {
  const { clientId, redirectUris } = service.application
  const usual = { response_type: "code", client_id: clientId, redirect_uri: redirectUris[0]!, state: "s 1" }
  const query = new URLSearchParams({ ...usual, ...changed })
  return fetch(`${service.url}/openapi/v2/authorize?${query}`, { redirect: "manual" })
}

const codeOf = async (service: PlainService, changed?: Record<string, string>) =>
  new URL((await authorize(service, changed)).headers.get("location")!).searchParams.get("code")!

const token = (service: PlainService, fields: Record<string, string>) => {
  const { clientId, clientSecret } = service.application
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...fields })
  return fetch(`${service.url}/openapi/v2/token`, { method: "POST", body })
}

const exchange = (service: PlainService, code: string, redirectUri = service.application.redirectUris[0]!) =>
  token(service, { grant_type: "authorization_code", code, redirect_uri: redirectUri })

const refresh = (service: PlainService, refreshToken: string) =>
  token(service, { grant_type: "refresh_token", refresh_token: refreshToken })

const errorOf = async (response: Response) => [response.status, ((await response.json()) as any).error]

describe("the authorize page", () => {
  it("consents at once and returns the state unchanged", async () => {
    const service = await startService()
    const response = await authorize(service)
    expect(response.status).toBe(302)
    const location = new URL(response.headers.get("location")!)
    expect(location.searchParams.get("state")).toBe("s 1")
    expect(location.searchParams.get("code")).toMatch(/./)
  })

  it("keeps the query of the redirect URI", async () => {
    const service = await startService({ redirectUris: ["http://127.0.0.1/callback?a=b"] })
    expect((await authorize(service)).headers.get("location")).toMatch(/^http:\/\/127\.0\.0\.1\/callback\?a=b&code=/)
  })

  it("names what is wrong with the parameters, and redirects nowhere", async () => {
    const service = await startService({ applicationScopes: ["user.task.readable"] })
    const cases = [
      [{ response_type: "token" }, 400, "unsupported_response_type"],
      [{ response_type: "" }, 400, "invalid_request"],
      [{ client_id: "other" }, 401, "invalid_client"],
      [{ redirect_uri: "http://127.0.0.1/callback/" }, 400, "invalid_request"],
      [{ scope: "user.profile.readable" }, 400, "invalid_scope"]
    ] as const
    for (const [changed, ...error] of cases) expect(await errorOf(await authorize(service, changed))).toEqual(error)
  })

  it("lets the person refuse, when it shows a form", async () => {
    const service = await startService({ consent: "form" })
    const page = await authorize(service)
    expect(await page.text()).toContain('<form method="post">')
    const decide = (decision: string) =>
      fetch(page.url, { method: "POST", body: new URLSearchParams({ decision }), redirect: "manual" })
    expect((await decide("allow")).headers.get("location")).toContain("code=")
    expect((await decide("deny")).headers.get("location")).toContain("error=access_denied")
    service.setReadings({ consent: "deny" })
    expect((await authorize(service)).headers.get("location")).toContain("error=access_denied&state=s+1")
  })
})

describe("the token endpoint", () => {
  it("gives tokens for a code, once", async () => {
    const service = await startService()
    const code = await codeOf(service)
    const tokens = (await (await exchange(service, code)).json()) as any
    expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 604800 })
    expect(tokens.scope.split(" ")).toHaveLength(8)
    expect((await apiOf(service, tokens.access_token).get("/credit")).status).toBe(200)
    expect(await errorOf(await exchange(service, code))).toEqual([400, "invalid_grant"])
  })

  it("grants the requested scopes, except those that the person withholds", async () => {
    const service = await startService({ withheldScopes: ["user.credit.readable"] })
    const code = await codeOf(service, { scope: "user.credit.readable user.task.readable" })
    expect(await (await exchange(service, code)).json()).toMatchObject({ scope: "user.task.readable" })
  })

  it("uses a code up when the redirect URI differs", async () => {
    const service = await startService()
    const code = await codeOf(service)
    expect(await errorOf(await exchange(service, code, "http://127.0.0.1/Callback"))).toEqual([400, "invalid_grant"])
    expect(await errorOf(await exchange(service, code))).toEqual([400, "invalid_grant"])
  })

  it("refuses a code after its lifetime", async () => {
    const service = await startService({ codeLifetimeMs: 0 })
    expect(await errorOf(await exchange(service, await codeOf(service)))).toEqual([400, "invalid_grant"])
  })

  it("names wrong requests and credentials", async () => {
    const service = await startService()
    expect(await errorOf(await token(service, {}))).toEqual([400, "invalid_request"])
    expect(await errorOf(await token(service, { grant_type: "password" }))).toEqual([400, "unsupported_grant_type"])
    const wrong = { grant_type: "refresh_token", refresh_token: "r", client_secret: "wrong" }
    expect(await errorOf(await token(service, wrong))).toEqual([401, "invalid_client"])
    const json = await fetch(`${service.url}/openapi/v2/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: "{}"
    })
    expect(await errorOf(json)).toEqual([400, "invalid_request"])
  })

  it("rotates refresh tokens without grace", async () => {
    const service = await startService()
    const first = service.grant()
    const second = (await (await refresh(service, first.refresh_token!)).json()) as any
    expect(second.refresh_token).not.toBe(first.refresh_token)
    expect(await errorOf(await refresh(service, first.refresh_token!))).toEqual([400, "invalid_grant"])
    expect((await refresh(service, second.refresh_token)).status).toBe(200)
    expect((await apiOf(service, first.access_token).get("/credit")).status).toBe(200)
  })

  it("keeps the refresh token and gives none, when it reads the document so", async () => {
    const service = await startService({ refresh: "keeps", refreshEndsAccess: true })
    const first = service.grant()
    expect(await (await refresh(service, first.refresh_token!)).json()).not.toHaveProperty("refresh_token")
    expect((await refresh(service, first.refresh_token!)).status).toBe(200)
    expect((await apiOf(service, first.access_token).get("/credit")).status).toBe(401)
  })
})

describe("bearer tokens", () => {
  it("end after their lifetime or when they are revoked", async () => {
    const service = await startService({ accessTokenLifetimeMs: 0 })
    expect((await apiOf(service).get("/credit")).status).toBe(401)
    service.setReadings({ accessTokenLifetimeMs: 60_000 })
    const tokens = service.grant()
    service.revokeTokens("access")
    expect((await apiOf(service, tokens.access_token).get("/credit")).status).toBe(401)
    expect((await refresh(service, tokens.refresh_token!)).status).toBe(200)
    service.revokeTokens("all")
    expect(await errorOf(await refresh(service, tokens.refresh_token!))).toEqual([400, "invalid_grant"])
  })

  it("get every body that a 401 may have", async () => {
    const service = await startService()
    const bodies: Array<string> = []
    for (let left = 6; left > 0; left--) {
      const response = await apiOf(service, "wrong").get("/credit")
      expect(response.status).toBe(401)
      expect(response.headers.has("www-authenticate")).toBe(false)
      bodies.push((await response.text()).replace(/[0-9a-f-]{36}/, "id"))
    }
    expect(bodies).toEqual([
      "",
      '{"error":"invalid_token"}',
      '{"error":"Unauthorized"}',
      '{"code":401,"msg":"Unauthorized","request_id":"id"}',
      "Unauthorized",
      ""
    ])
    service.setReadings({ unauthorized: "text" })
    expect((await apiOf(service, "wrong").get("/credit")).headers.get("content-type")).toContain("text/plain")
  })

  it("without the scope learn it from WWW-Authenticate", async () => {
    const service = await startService()
    const api = apiOf(service, service.grant(["user.task.readable"]).access_token)
    const response = await api.post("/tasks", { prompt: "a" })
    expect(response.headers.get("www-authenticate")).toContain('scope="user.task.invokable"')
    expect(await errorOf(response)).toEqual([403, "insufficient_scope"])
  })

  it("of an inactive application have no access", async () => {
    const service = await startService({ applicationActive: false })
    expect(await errorOf(await apiOf(service).get("/credit"))).toEqual([403, "access_denied"])
  })
})
