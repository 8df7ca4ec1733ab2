import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CheckContext } from "../CheckContext.ts"
import { Skipped, NoResponse } from "../CheckFailure.ts"
import type { Response, Exchange, Request } from "../HttpMessage.ts"
import { flagOf, type Prerequisite, type Settings } from "../Settings.ts"
import * as Http from "./Http.ts"
import * as Secrets from "./Secrets.ts"

type Fixtures = Pick<CheckContext["Type"], "task" | "turn" | "unknownCode">

/** Makes the contexts of one run: they share what was given and what is used up, and each has its own record. */
export interface CheckContextFactory {
  readonly secrets: Secrets.Secrets
  readonly make: (record: Array<Exchange>, fixtures: Fixtures) => CheckContext["Type"]
}

/** Starts a run's bookkeeping. */
export const make = (settings: Settings): CheckContextFactory => {
  const secrets = Secrets.make(
    [...settings.given].filter(([name]) => isSecret(name)).flatMap(([, values]) => values.flatMap(parts))
  )
  const taken = new Map<Prerequisite, number>()
  let newest: string | undefined

  const setting = (name: Prerequisite) => {
    const value = settings.given.get(name)?.[0]
    return value === undefined
      ? Effect.fail(new Skipped({ reason: `needs --${flagOf(name)}` }))
      : Effect.succeed(Redacted.value(value))
  }

  return {
    secrets,
    make: (record, fixtures) => {
      const sendOnce = (request: Request) =>
        Effect.gen(function* () {
          const url = addressOf(settings.baseUrl, request.path)
          const token =
            typeof request.token === "object"
              ? request.token.token
              : request.token === "none"
                ? undefined
                : yield* setting(request.token ?? "accessToken")
          const headers = {
            host: url.host,
            "user-agent": "heddle-conformance",
            accept: "application/json",
            ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
            ...request.headers
          }
          const body = typeof request.body === "string" ? Buffer.from(request.body) : request.body
          const target = targetOf(settings.baseUrl, request.path)
          const sent = secrets.mask(describe(request.method, target, headers, body))
          const raw = yield* Http.exchange({
            method: request.method,
            url,
            target,
            headers,
            body,
            chunked: request.chunked
          }).pipe(
            Effect.mapError(({ reason }) => new NoResponse({ reason: `${request.method} ${request.path}: ${reason}` })),
            Effect.tapError(({ reason }) => Effect.sync(() => record.push({ sent, came: secrets.mask(reason) })))
          )
          const text = raw.body.toString("utf8")
          secrets.learn(text)
          record.push({ sent, came: secrets.mask(described(raw.status, raw.headers, text)) })
          return {
            request,
            status: raw.status,
            headers: raw.headers,
            text,
            bytes: raw.body,
            json: parse(text)
          } satisfies Response
        })

      return {
        settings,
        ...fixtures,
        sendOnce,
        send: (request) =>
          Effect.flatMap(sendOnce(request), (response) => {
            if (response.status !== 429) return Effect.succeed(response)
            const seconds = Number(response.headers["retry-after"] ?? 1)
            return seconds <= 2
              ? Effect.flatMap(Effect.delay(sendOnce(request), Duration.seconds(seconds)), (again) =>
                  again.status === 429 ? limited(seconds) : Effect.succeed(again)
                )
              : limited(seconds)
          }),
        setting,
        takeSetting: (name) =>
          Effect.suspend(() => {
            const index = taken.get(name) ?? 0
            const value = settings.given.get(name)?.[index]
            if (value === undefined) {
              return Effect.fail(new Skipped({ reason: `needs ${index === 0 ? "" : "one more "}--${flagOf(name)}` }))
            }
            taken.set(name, index + 1)
            return Effect.succeed(Redacted.value(value))
          }),
        hide: (secret) => Effect.sync(() => secrets.add(secret)),
        refreshToken: Effect.suspend(() => (newest === undefined ? setting("refreshToken") : Effect.succeed(newest))),
        renewed: (refreshToken) =>
          Effect.sync(() => {
            newest = refreshToken
            secrets.add(refreshToken)
          }),
        record: ({ came, sent }) =>
          Effect.sync(() => void record.push({ sent: secrets.mask(sent), came: secrets.mask(came) }))
      }
    }
  }
}

const limited = (seconds: number) =>
  Effect.fail(new Skipped({ reason: `the service limits requests (429): run it again in ${seconds} seconds` }))

// Names and addresses help in a report; the rest opens something.
const isSecret = (name: Prerequisite) => name !== "clientId" && name !== "redirectUri" && name !== "assistant"

const parts = (value: Redacted.Redacted) => [Redacted.value(value), ...Redacted.value(value).split(":").slice(1)]

const addressOf = (baseUrl: string, path: string) =>
  new URL(
    /^https?:\/\//.test(path) ? path : `${baseUrl}${path.startsWith("//") ? path.slice(1) : `/openapi/v2${path}`}`
  )

// Taken from the text, because a URL would tidy up dots and slashes that are the point of a request.
const targetOf = (baseUrl: string, path: string) => {
  const whole = /^https?:\/\//.test(path)
    ? path
    : `${baseUrl}${path.startsWith("//") ? path.slice(1) : `/openapi/v2${path}`}`
  return whole.replace(/^https?:\/\/[^/?#]*/, "").replace(/^(?!\/)/, "/")
}

const describe = (
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | undefined
) =>
  [
    `${method} ${target.length > 300 ? `${target.slice(0, 300)}…` : target}`,
    ...Object.entries(headers)
      .filter(([name]) => name !== "host" && name !== "user-agent")
      .map(([name, value]) => `${name}: ${name === "authorization" ? value.replace(/ .*/, " ***") : value}`),
    ...(body === undefined ? [] : ["", excerpt(Buffer.from(body).toString("utf8"))])
  ].join("\n")

const described = (status: number, headers: Readonly<Record<string, string>>, text: string) =>
  [
    String(status),
    ...Object.entries(headers)
      .filter(([name]) => name !== "date" && name !== "connection" && name !== "keep-alive")
      .map(([name, value]) => `${name}: ${value}`),
    ...(text === "" ? [] : ["", excerpt(text)])
  ].join("\n")

const excerpt = (text: string) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // No JSON: the checks that want some say so.
    return undefined
  }
}
