import * as Administration from "@heddle/server/Administration"
import { Grants } from "@heddle/server/Grants"
import { RedemptionCodes } from "@heddle/server/RedemptionCodes"
import { known } from "@heddle/core/domain/Scope"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Browser from "./Browser.ts"
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
  readonly summary: Readonly<Record<"passed" | "failed" | "differ" | "skipped" | "unreachable", number>>
  readonly err: string
}

/** A served folder with two people, three applications and everything else that the suite can be given. */
export const make = (...flags: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const dir = yield* dataDir
    const admin = (...args: ReadonlyArray<string>) =>
      Effect.map(run(server, [...args, "--data", dir, "--json"]), ({ out }): ReadonlyArray<Record<string, string>> =>
        lines(out)
      )
    const one = (...args: ReadonlyArray<string>) => Effect.map(admin(...args), ([first = {}]) => first)
    const application = (name: string) => one("app", "create", "--name", name, "--redirect-uri", redirectUri)
    const grant = (app: string, user: string, ...more: ReadonlyArray<string>) =>
      one("grant", "create", "--app", app, "--user", user, ...more)

    const app = yield* application("Suite")
    const [other, gone, ada, bob, codes, vouchers] = yield* Effect.all(
      [
        application("Other"),
        application("Gone"),
        one("user", "create", "--name", "Ada", "--password", "correct horse", "--phone", phone, "--credits", "1000"),
        one("user", "create", "--name", "Bob", "--credits", "100"),
        admin("code", "create", "--credits", "5", "--count", "8"),
        admin("voucher", "create", "--credits", "5", "--count", "2")
      ],
      { concurrency: 2 }
    )
    const clientId = app["client_id"] ?? ""
    const userId = ada["user_id"] ?? ""
    const [granted, limited, others, inactive, assistant] = yield* Effect.all(
      [
        grant(clientId, userId),
        grant(clientId, userId, "--scope", "user.profile.readable"),
        grant(other["client_id"] ?? "", bob["user_id"] ?? ""),
        grant(gone["client_id"] ?? "", userId),
        one("assistant", "create", "--user", userId)
      ],
      { concurrency: 2 }
    )
    yield* one("app", "disable", gone["client_id"] ?? "")
    const past = yield* longAgo(clientId, userId).pipe(
      Effect.provide(Administration.layer(dir)),
      Effect.withClock(monthAgo)
    )

    const url = yield* ready(server, ["serve", "--port", "0", "--data", dir, ...flags], {})
    const authorizationCodes = yield* allowed({ url: url.line["url"] ?? "", clientId }, 8)
    const given: Given = {
      HEDDLE_BASE_URL: url.line["url"] ?? "",
      HEDDLE_CLIENT_ID: clientId,
      HEDDLE_CLIENT_SECRET: app["client_secret"] ?? "",
      HEDDLE_ACCESS_TOKEN: granted["access_token"] ?? "",
      HEDDLE_REFRESH_TOKEN: granted["refresh_token"] ?? "",
      HEDDLE_LIMITED_ACCESS_TOKEN: limited["access_token"] ?? "",
      HEDDLE_OTHER_ACCESS_TOKEN: others["access_token"] ?? "",
      HEDDLE_OTHER_CLIENT: `${other["client_id"]}:${other["client_secret"]}`,
      HEDDLE_INACTIVE_CLIENT: `${gone["client_id"]}:${gone["client_secret"]}`,
      HEDDLE_INACTIVE_ACCESS_TOKEN: inactive["access_token"] ?? "",
      HEDDLE_EXPIRED_ACCESS_TOKEN: past.accessToken,
      HEDDLE_EXPIRED_CODE: past.code,
      HEDDLE_REDIRECT_URI: redirectUri,
      HEDDLE_AUTHORIZATION_CODE: authorizationCodes.join(","),
      HEDDLE_PHONE: phone,
      HEDDLE_CODE: codes.map(({ code }) => code).join(","),
      HEDDLE_VOUCHER: vouchers.map(({ gift_code, gift_key }) => `${gift_key}:${gift_code}`).join(",")
    }
    return {
      given,
      /** Ada's computer comes online; gives what takes it offline again. */
      assistant: Effect.map(
        ready(assistantProgram, ["--service", given["HEDDLE_BASE_URL"] ?? "", "--state", dir, "--cwd", dir], {
          HEDDLE_ASSISTANT_TOKEN: assistant["assistant_token"] ?? ""
        }),
        ({ stop }) => stop
      )
    }
  })

/** Runs the suite as a person would. */
export const check = (given: Given, ...args: ReadonlyArray<string>): Effect.Effect<Verdict> =>
  Effect.map(run(suite, [...args, "--json"], given), ({ err, out, status }) => {
    const parsed = lines(out) as unknown as ReadonlyArray<Verdict["results"][number] & Pick<Verdict, "summary">>
    const last = parsed.at(-1)
    return {
      status,
      err,
      results: parsed.slice(0, -1),
      summary: last?.summary ?? { passed: 0, failed: 0, differ: 0, skipped: 0, unreachable: 0 }
    }
  })

const phone = "+8613812345678"

const program = (name: string) => fileURLToPath(new URL(`../../bin/${name}.js`, import.meta.url))
const server = program("heddle-server")
const assistantProgram = program("heddle-assistant")
const suite = fileURLToPath(
  new URL("./bin/heddle-conformance.js", import.meta.resolve("@heddle/conformance/package.json"))
)

const lines = (out: string): ReadonlyArray<Record<string, string>> =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, string>)

const run = (file: string, args: ReadonlyArray<string>, env: Given = {}) =>
  Effect.async<{ readonly status: number | null; readonly out: string; readonly err: string }>((resume) => {
    const child = spawn(process.execPath, [file, ...args], { env: { ...process.env, ...env } })
    let out = ""
    let err = ""
    child.stdout.on("data", (piece) => (out += piece))
    child.stderr.on("data", (piece) => (err += piece))
    child.once("close", (status) => resume(Effect.succeed({ status, out, err })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** A program that says when it is ready; it is killed at the latest when the test ends. */
const ready = (file: string, args: ReadonlyArray<string>, env: Given) =>
  Effect.gen(function* () {
    const child = spawn(process.execPath, [file, ...args], {
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"]
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => child.kill("SIGKILL")))
    const line = yield* Effect.async<string>((resume) => {
      child.stdout.once("data", (piece) => resume(Effect.succeed(String(piece))))
      child.once("close", (status) => resume(Effect.die(new Error(`${file} ended with ${status}`))))
    }).pipe(Effect.timeout("15 seconds"))
    const stop = Effect.async<void>((resume) => {
      child.once("close", () => resume(Effect.void))
      child.kill("SIGTERM")
    })
    return { line: JSON.parse(line) as Record<string, string>, stop }
  })

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

const longAgo = (clientId: string, userId: string) =>
  Effect.gen(function* () {
    const { accessToken } = yield* (yield* Grants).issue({ clientId, userId, scopes: new Set(known) })
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
