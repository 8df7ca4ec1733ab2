import { Accounts } from "@heddle/server/accounts/Accounts"
import * as Administration from "@heddle/server/Administration"
import { Applications } from "@heddle/server/oauth/Applications"
import { AssistantCredentials } from "@heddle/server/assistant/AssistantCredentials"
import { Grants } from "@heddle/server/oauth/Grants"
import { RedemptionCodes } from "@heddle/server/redemptions/RedemptionCodes"
import { knownScopes, type Scope } from "@heddle/core/domain/Scope"
import * as Programs from "@heddle/test-support/Programs"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { fileURLToPath } from "node:url"
import { computer } from "../assistant/support/Computer.ts"
import * as AnswerRecorder from "./AnswerRecorder.ts"
import * as Api from "./Api.ts"
import * as Browser from "./Browser.ts"
import * as Described from "./Described.ts"
import { dataDir, redirectUri } from "./TestServer.ts"

/** What the suite is given: environment variables of `heddle-conformance`. */
export type Given = Readonly<Record<string, string>>

/** How the suite ended: its results, one object a check, and the summary. */
export interface Verdict {
  readonly status: number | null
  readonly results: ReadonlyArray<{
    readonly check: string
    readonly verdict: string
    readonly level: string
    readonly problems?: ReadonlyArray<string>
    readonly reason?: string
  }>
  readonly summary: Readonly<Record<"passed" | "failed" | "differs" | "skipped" | "unreachable", number>>
  readonly err: string
}

/** A served folder with two people, three applications and everything else that the suite can be given. */
export const make = (...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const dir = yield* dataDir
    // The commands of the service are not the subject here: what they call is called in this process, all at once.
    const { app, assistant, codes, gone, granted, inactive, limited, other, others, past, vouchers } =
      yield* prepare.pipe(Effect.provide(Administration.layer(dir)))
    const { clientId } = app

    const server = yield* Programs.start(program("heddle-server"), ["serve", "--port", "0", "--data", dir, ...flags])
    const url = String((yield* server.ready)["url"])
    const authorizationCodes = yield* allowed({ url, clientId }, 8)
    const recorder = yield* AnswerRecorder.make(url)
    const document = yield* Api.request({ at: (path) => url + path }, "/openapi.json")
    const faults = Described.make(document.json)
    const given: Given = {
      HEDDLE_BASE_URL: recorder.url,
      HEDDLE_CLIENT_ID: clientId,
      HEDDLE_CLIENT_SECRET: Redacted.value(app.clientSecret),
      HEDDLE_ACCESS_TOKEN: Redacted.value(granted.accessToken),
      HEDDLE_REFRESH_TOKEN: granted.refreshToken === undefined ? "" : Redacted.value(granted.refreshToken),
      HEDDLE_LIMITED_ACCESS_TOKEN: Redacted.value(limited.accessToken),
      HEDDLE_OTHER_ACCESS_TOKEN: Redacted.value(others.accessToken),
      HEDDLE_OTHER_CLIENT: `${other.clientId}:${Redacted.value(other.clientSecret)}`,
      HEDDLE_INACTIVE_CLIENT: `${gone.clientId}:${Redacted.value(gone.clientSecret)}`,
      HEDDLE_INACTIVE_ACCESS_TOKEN: Redacted.value(inactive.accessToken),
      HEDDLE_EXPIRED_ACCESS_TOKEN: past.accessToken,
      HEDDLE_EXPIRED_CODE: past.code,
      HEDDLE_REDIRECT_URI: redirectUri,
      HEDDLE_AUTHORIZATION_CODE: authorizationCodes.join(","),
      HEDDLE_PHONE: phone,
      HEDDLE_CODE: codes.map(Redacted.value).join(","),
      HEDDLE_VOUCHER: vouchers
        .map(({ giftCode, giftKey }) => `${Redacted.value(giftKey)}:${Redacted.value(giftCode)}`)
        .join(",")
    }
    return {
      given,
      /** How many answers the suite got, and what in them is not as the OpenAPI document says. */
      answers: () => ({
        count: recorder.answers.length,
        undescribed: recorder.answers.flatMap((answer) => {
          const { method, path, status, text } = answer
          const found = faults(answer)
          const line = `${method} ${path} ${status} ${text.slice(0, 200)}`
          return found.length === 0 ? [] : [`${line}: ${JSON.stringify(found)}`]
        })
      }),
      /** Ada's computer comes online; gives what takes it offline again. */
      assistant: Effect.gen(function* () {
        const pc = computer({ at: (path) => url + path }, Redacted.value(assistant.assistantToken), "conformance-1")
        yield* pc.connect
        yield* pc.next("welcome")
        const answer = Effect.flatMap(pc.next("message", "4 minutes"), ({ messageId }) => pc.reply(messageId, "Hello."))
        const pulse = Effect.delay(pc.post("/condition", { problem: null }), "10 seconds")
        const program = yield* Effect.forkScoped(
          Effect.all([Effect.forever(answer), Effect.forever(pulse)], { concurrency: 2 })
        )
        return Effect.andThen(Fiber.interrupt(program), pc.leave)
      })
    }
  })

/** Runs the suite as a person would. */
export const check = (given: Given, ...args: ReadonlyArray<string>): Effect.Effect<Verdict> =>
  Effect.map(Programs.run(suite, [...args, "--json"], { ...process.env, ...given }), ({ err, out, status }) => {
    const parsed = lines(out) as unknown as ReadonlyArray<Verdict["results"][number] & Pick<Verdict, "summary">>
    const last = parsed.at(-1)
    return {
      status,
      err,
      results: parsed.slice(0, -1),
      summary: last?.summary ?? { passed: 0, failed: 0, differs: 0, skipped: 0, unreachable: 0 }
    }
  })

const phone = "+8613812345678"

const program = (name: string) => fileURLToPath(new URL(`../../bin/${name}.js`, import.meta.url))
const suite = fileURLToPath(
  new URL("./bin/heddle-conformance.js", import.meta.resolve("@heddle/conformance/package.json"))
)

const lines = (out: string): ReadonlyArray<Record<string, string>> =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, string>)

/** Signs in once and allows the application; the consent is remembered, so that every further visit gives a code. */
const allowed = (at: { readonly url: string; readonly clientId: string }, count: number) =>
  Effect.gen(function* () {
    const browser = Browser.make(at.url)
    const page = yield* browser.get(Browser.authorizePath(at))
    const signedIn = yield* browser.press(page, "sign_in", { name: "ada", password: "correct horse" })
    yield* browser.press(yield* browser.get(signedIn.headers.get("location") ?? ""), "allow")
    return yield* Effect.forEach(Array.from({ length: count }), () =>
      Effect.map(browser.get(Browser.authorizePath(at)), ({ headers }) =>
        String(new URL(headers.get("location") ?? "").searchParams.get("code"))
      )
    )
  })

/** Two people, three applications, and what each of them may have. */
const prepare = Effect.gen(function* () {
  const applications = yield* Applications
  const accounts = yield* Accounts
  const grants = yield* Grants
  const redemptionCodes = yield* RedemptionCodes
  const application = (name: string) => applications.create({ name, redirectUris: [redirectUri] })
  const grant = (app: { readonly clientId: string }, user: { readonly userId: string }, ...scopes: Array<Scope>) =>
    grants.issue({
      clientId: app.clientId,
      userId: user.userId,
      scopes: new Set(scopes.length > 0 ? scopes : knownScopes)
    })

  const app = yield* application("Suite")
  const other = yield* application("Other")
  const gone = yield* application("Gone")
  const password = Redacted.make("correct horse")
  const ada = yield* accounts.create({ name: "Ada", password, phone, credits: 1000 })
  const bob = yield* accounts.create({ name: "Bob", credits: 100 })
  const all = {
    app,
    other,
    gone,
    ada,
    codes: yield* redemptionCodes.create({ credits: 5, count: 8 }),
    vouchers: yield* redemptionCodes.createVouchers({ credits: 5, count: 2 }),
    granted: yield* grant(app, ada),
    limited: yield* grant(app, ada, "user.profile.readable"),
    others: yield* grant(other, bob),
    inactive: yield* grant(gone, ada),
    assistant: yield* (yield* AssistantCredentials).create(ada.userId, "local assistant"),
    past: yield* Effect.withClock(longAgo(app.clientId, ada.userId), monthAgo)
  }
  yield* applications.disable(gone.clientId)
  return all
})

const longAgo = (clientId: string, userId: string) =>
  Effect.gen(function* () {
    const { accessToken } = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(knownScopes) })
    const [code] = yield* (yield* RedemptionCodes).create({ credits: 5, expiresIn: "1 day" })
    return { accessToken: Redacted.value(accessToken), code: code === undefined ? "" : Redacted.value(code) }
  })

const month = 30 * 86_400_000
const now = Clock.make()
const monthAgo: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  currentTimeMillis: Effect.map(now.currentTimeMillis, (ms) => ms - month),
  currentTimeNanos: Effect.map(now.currentTimeNanos, (ns) => ns - BigInt(month) * 1_000_000n),
  unsafeCurrentTimeMillis: () => now.unsafeCurrentTimeMillis() - month,
  unsafeCurrentTimeNanos: () => now.unsafeCurrentTimeNanos() - BigInt(month) * 1_000_000n,
  sleep: (duration) => now.sleep(duration)
}
