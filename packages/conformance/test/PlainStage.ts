import type { Prerequisite, Settings } from "@heddle/conformance/Settings"
import { type PlainService, type PlainServiceOptions, type Script, startPlainService } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"

const redirectUri = "http://127.0.0.1/callback"
const artifactPrompt = "Make one artifact of each type."

/** The second service with these readings, and all that the suite can be given against it. */
export const make = (readings: PlainServiceOptions) =>
  Effect.gen(function* () {
    const service = yield* Effect.acquireRelease(
      Effect.promise(() => startPlainService({ ...readings, script, redirectUris: [redirectUri] })),
      (service) => Effect.promise(() => service.stop())
    )
    yield* Effect.forkScoped(Effect.repeat(reply(service), Schedule.spaced("20 millis")))
    const { application } = service
    const { access_token, refresh_token = "" } = service.grant()
    const values: Partial<Record<Prerequisite, ReadonlyArray<string>>> = {
      clientId: [application.clientId],
      clientSecret: [application.clientSecret],
      accessToken: [access_token],
      refreshToken: [refresh_token],
      limitedAccessToken: [service.grant(["user.profile.readable"]).access_token],
      otherAccessToken: [grantWith(service, { person: "bob" })],
      expiredAccessToken: [grantWith(service, { accessTokenLifetimeMs: 0 })],
      redirectUri: [redirectUri],
      authorizationCode: yield* Effect.promise(() => Promise.all(numbered(8, () => authorize(service)))),
      phone: [service.readings.phoneNumber],
      code: numbered(8, (index) => voucher(service, `CODE-${index}`)),
      voucher: numbered(2, (index) => `${voucher(service, `CARD-${index}`, "SECRET-0123")}:SECRET-0123`),
      expiredCode: [voucher(service, "EXPIRED-CODE", undefined, 1)],
      assistant: [service.readings.assistantOnline ? "online" : "offline"]
    }
    const settings: Settings = {
      baseUrl: service.url,
      values: new Map(
        Object.entries(values).map(([name, texts]) => [name as Prerequisite, texts.map((text) => Redacted.make(text))])
      ),
      limitedScope: "user.profile.readable",
      artifactPrompt,
      disposable: true
    }
    return settings
  })

/** Takes its time for the first prompt, and asks before it makes artifacts. */
const script: Script = async ({ artifact, ask, index, say, text }) => {
  if (index === 0) await new Promise((resolve) => setTimeout(resolve, 300))
  say(`Done: ${text}`)
  if (text !== artifactPrompt || (await ask({ title: "Make them?" })) !== "allow") return { stopReason: "end_turn" }
  artifact("created", { type: "plan", uri: "agent:///artifacts/plan", text: "# Plan", version: 1 })
  const tasks = [{ id: "1", content: "Make them", status: "in_progress", order: 0 }]
  artifact("created", { type: "tasks", uri: "agent:///artifacts/tasks", tasks })
  const picture = { type: "media", uri: "agent:///artifacts/a b.png", mimeType: "image/png", contentType: "image" }
  artifact("created", picture, new Uint8Array([137, 80, 78, 71]))
  artifact("created", { type: "overview", uri: "agent:///artifacts/overview", text: "Made." })
  artifact("created", { type: "diagram", uri: "agent:///artifacts/diagram" })
  return { stopReason: "end_turn" }
}

/** Answers the newest message of the person, as the assistant on a computer does. */
const reply = ({ assistant }: PlainService) =>
  Effect.sync(() => {
    if (assistant.messages.at(-1)?.role === "user") assistant.say("Hello.")
  })

/** An access token that is granted while the service has this reading. */
const grantWith = (service: PlainService, changed: Parameters<PlainService["setReadings"]>[0]): string => {
  const before = service.readings
  service.setReadings(changed)
  const { access_token } = service.grant()
  service.setReadings(before)
  return access_token
}

const numbered = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

const voucher = ({ addVoucher }: PlainService, code: string, secret?: string, expiresAt?: number): string => {
  addVoucher({ code, credits: 5, ...(secret === undefined ? {} : { secret }), ...(expiresAt ? { expiresAt } : {}) })
  return code
}

/** Allows the application on the authorize page, and gives the code. */
const authorize = async ({ application, url }: PlainService): Promise<string> => {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: application.clientId,
    redirect_uri: redirectUri
  })
  const response = await fetch(`${url}/openapi/v2/authorize?${query}`, {
    method: "POST",
    body: new URLSearchParams({ decision: "allow" }),
    redirect: "manual"
  })
  return String(new URL(response.headers.get("location") ?? "").searchParams.get("code"))
}
