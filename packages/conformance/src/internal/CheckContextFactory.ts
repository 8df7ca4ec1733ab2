import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { CheckContext } from "../CheckContext.ts"
import { Skipped, NoResponse } from "../CheckFailure.ts"
import type { Response, Exchange, Request } from "../HttpMessage.ts"
import { flagOf, type Prerequisite, type Settings } from "../Settings.ts"
import * as Http from "./Http.ts"
import * as Secrets from "./Secrets.ts"

type Fixtures = Pick<CheckContext["Type"], "task" | "channelTask" | "turn" | "unknownCode">

/** Creates the contexts of one run. They share the settings, the used values and the secrets; each has its own record. */
export interface CheckContextFactory {
  readonly make: (record: Array<Exchange>, fixtures: Fixtures) => CheckContext["Type"]
}

/** Starts a run with these settings. */
export const make = (given: Settings): CheckContextFactory => {
  const values = new Map(given.values)
  const settings = { ...given, values }
  const secrets = Secrets.make(
    [...values].filter(([name]) => isSecret(name)).flatMap(([, values]) => values.flatMap(secretsIn))
  )
  const usedCounts = new Map<Prerequisite, number>()
  const setting = (name: Prerequisite) => Effect.suspend(() => valueAt(settings, name, 0))
  const store = (name: Prerequisite, token: string) =>
    Effect.sync(() => {
      values.set(name, [Redacted.make(token)])
      secrets.add(token)
    })

  return {
    make: (record, fixtures) => {
      const sendOnce = makeSendOnce(settings, secrets, record)
      return {
        settings,
        ...fixtures,
        sendOnce,
        send: (request) => Effect.flatMap(sendOnce(request), (response) => repeatAfter429(response, sendOnce(request))),
        setting,
        takeSetting: (name) =>
          Effect.suspend(() => {
            const index = usedCounts.get(name) ?? 0
            return Effect.tap(valueAt(settings, name, index), () => Effect.sync(() => usedCounts.set(name, index + 1)))
          }),
        mask: (secret) => Effect.sync(() => secrets.add(secret)),
        refreshToken: setting("refreshToken"),
        storeRefreshToken: (token) => store("refreshToken", token),
        storeAccessToken: (token) => store("accessToken", token),
        record: ({ received, sent }) =>
          Effect.sync(() => void record.push({ sent: secrets.mask(sent), received: secrets.mask(received) }))
      }
    }
  }
}

const valueAt = (settings: Settings, name: Prerequisite, index: number): Effect.Effect<string, Skipped> => {
  const value = settings.values.get(name)?.[index]
  return value === undefined
    ? Effect.fail(new Skipped({ reason: `needs ${index === 0 ? "" : "one more "}--${flagOf(name)}` }))
    : Effect.succeed(Redacted.value(value))
}

/** Makes the function that sends a request and records it with its response, without secrets. */
const makeSendOnce =
  (settings: Settings, secrets: Secrets.Secrets, record: Array<Exchange>) =>
  (request: Request): Effect.Effect<Response, Skipped | NoResponse> =>
    Effect.gen(function* () {
      const requestUrl = absoluteUrl(settings.baseUrl, request.path)
      const url = new URL(requestUrl)
      const target = requestTargetOf(requestUrl)
      const headers = { host: url.host, ...(yield* headersOf(settings, request)) }
      const body = typeof request.body === "string" ? Buffer.from(request.body) : request.body
      const sent = secrets.mask(describeRequest(request.method, target, headers, body))
      const { chunked, method } = request
      const raw = yield* Http.exchange({ method, url, target, headers, body, chunked }).pipe(
        Effect.mapError(({ reason }) => new NoResponse({ reason: `${method} ${request.path}: ${reason}` })),
        Effect.tapError(({ reason }) => Effect.sync(() => record.push({ sent, received: secrets.mask(reason) })))
      )
      const text = raw.body.toString("utf8")
      secrets.addFromBody(text)
      record.push({ sent, received: secrets.mask(describeResponse(raw.status, raw.headers, text)) })
      return { request, status: raw.status, headers: raw.headers, text, bytes: raw.body, json: parseJson(text) }
    })

const headersOf = (settings: Settings, { headers, token = "accessToken" }: Request) =>
  Effect.gen(function* () {
    const value =
      typeof token === "object" ? token.token : token === "none" ? undefined : yield* valueAt(settings, token, 0)
    return {
      "user-agent": "heddle-conformance",
      accept: "application/json",
      ...(value === undefined ? {} : { authorization: `Bearer ${value}` }),
      ...headers
    }
  })

/** Waits up to two seconds after a 429 and sends once more; skips the check when that is not enough. */
const repeatAfter429 = <E>(response: Response, retry: Effect.Effect<Response, E>) => {
  if (response.status !== 429) return Effect.succeed(response)
  const seconds = retryAfterSeconds(response)
  if (seconds > 2) return skipLimited(seconds)
  return Effect.delay(retry, Duration.seconds(seconds)).pipe(
    Effect.filterOrElse(
      ({ status }) => status !== 429,
      () => skipLimited(seconds)
    )
  )
}

/**
 * The seconds of `Retry-After`. A date counts from the `Date` of the response (RFC 9110, 10.2.3). A missing or unreadable
 * value counts as one second.
 */
const retryAfterSeconds = ({ headers }: Response): number => {
  const retryAfter = headers["retry-after"] ?? "1"
  const seconds = Number(retryAfter)
  if (!Number.isNaN(seconds)) return seconds
  const delay = Math.ceil((Date.parse(retryAfter) - Date.parse(headers["date"] ?? "")) / 1000)
  return Number.isNaN(delay) ? 1 : Math.max(0, delay)
}

const skipLimited = (seconds: number) =>
  Effect.fail(new Skipped({ reason: `the service limits requests (429): run it again in ${seconds} seconds` }))

// These three help to read a report; the other settings give access.
const isSecret = (name: Prerequisite) => name !== "clientId" && name !== "redirectUri" && name !== "assistant"

const secretsIn = (value: Redacted.Redacted) => [Redacted.value(value), ...Redacted.value(value).split(":").slice(1)]

/** The complete URL of a path: a URL stays, `//path` leaves out the prefix `/openapi/v2`, any other path gets it. */
const absoluteUrl = (baseUrl: string, path: string) => {
  if (/^https?:\/\//.test(path)) return path
  return path.startsWith("//") ? `${baseUrl}${path.slice(1)}` : `${baseUrl}/openapi/v2${path}`
}

// Cut from the text, because `URL` would normalize the dots and slashes that a check sends on purpose.
const requestTargetOf = (url: string) => url.replace(/^https?:\/\/[^/?#]*/, "").replace(/^(?!\/)/, "/")

const describeRequest = (
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

const describeResponse = (status: number, headers: Readonly<Record<string, string>>, text: string) =>
  [
    String(status),
    ...Object.entries(headers)
      .filter(([name]) => name !== "date" && name !== "connection" && name !== "keep-alive")
      .map(([name, value]) => `${name}: ${value}`),
    ...(text === "" ? [] : ["", excerpt(text)])
  ].join("\n")

const excerpt = (text: string) => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length} characters)` : text)

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the checks that expect JSON report it.
    return undefined
  }
}
