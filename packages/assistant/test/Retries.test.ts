import { assert, describe, it } from "@effect/vitest"
import * as ServiceConnection from "@heddle/assistant/ServiceConnection"
import * as RetryRecorder from "@heddle/test-support/retries/RetryRecorder"
import * as RetryRow from "@heddle/test-support/retries/RetryRow"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"

/** A service whose requests go wrong from `goWrong` on, after it has ended every stream. */
const startService = (fault: RetryRow.Fault) =>
  Effect.gen(function* () {
    let left = 0
    const streams = new Set<Http.ServerResponse>()
    const server = Http.createServer((request, response) => {
      if (left > 0) {
        left--
        if (typeof fault !== "object") return void request.socket.resetAndDestroy()
        const { retryAfterSeconds: seconds, status } = fault
        return response.writeHead(status, seconds === undefined ? {} : { "retry-after": String(seconds) }).end()
      }
      if (request.url?.endsWith("/events") !== true) return response.writeHead(200).end()
      response.writeHead(200, { "content-type": "text/event-stream" })
      response.write(`event: welcome\ndata: {"permissionResponse":"reject","pulseMillis":10000}\n\n`)
      streams.add(response)
    })
    yield* Effect.acquireRelease(
      Effect.async<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => (server.closeAllConnections(), server.close()))
    )
    const address = server.address()
    return {
      url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
      goWrong: (times: number) => {
        left = times
        for (const stream of streams) stream.end()
      }
    }
  })

/** Records what the program fetches; what comes after a fault began has a name of its own. */
const recordFetch = Effect.gen(function* () {
  const faulty = new Set<string>()
  const nameOf = ({ url }: RetryRecorder.Request) => `${faulty.has(new URL(url).origin) ? "faulty " : ""}${url}`
  const recording = (yield* RetryRecorder.make).record(nameOf)
  const original = globalThis.fetch
  yield* Effect.acquireRelease(
    Effect.sync(() => void (globalThis.fetch = recording.fetch)),
    () => Effect.sync(() => void (globalThis.fetch = original))
  )
  return { faulty, recording }
})
type Recorded = Effect.Effect.Success<typeof recordFetch>

const requests = {
  "first connection": { path: "/events", isLater: false },
  "later connections": { path: "/events", isLater: true },
  answers: { path: "/messages/one/reply", isLater: true }
} as const

/** What the program does about faults of one of its requests. */
const drive = Effect.fnUntraced(function* (
  { faulty, recording }: Recorded,
  { isLater, path }: (typeof requests)[keyof typeof requests],
  fault: RetryRow.Fault
) {
  const { goWrong, url } = yield* startService(fault)
  const connection = ServiceConnection.make({ service: url, token: Redacted.make("oa_as_test"), instance: "one" })
  const welcomes = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
  let count = isLater ? 0 : 1
  const listening = Effect.forkScoped(
    connection.listen(() => Deferred.unsafeDone(welcomes[count++ === 0 ? 0 : 1], Effect.void))
  )
  const early = isLater ? yield* listening : undefined
  if (isLater) yield* Deferred.await(welcomes[0])
  // The answers go wrong alone.
  if (path !== "/events" && early !== undefined) yield* Fiber.interrupt(early)
  faulty.add(url)
  const name = `faulty ${url}/assistant/v1${path}`
  if (fault === "not sent") recording.refuse(name, RetryRow.times)
  goWrong(fault === "not sent" ? 0 : RetryRow.times)
  const later =
    path === "/events"
      ? Effect.raceFirst(Fiber.join(early ?? (yield* listening)), Deferred.await(welcomes[1]))
      : Effect.filterOrFail(connection.send(path, {}), (isTaken) => isTaken)
  const succeeded = Exit.isSuccess(yield* Effect.exit(later))
  return { waits: recording.waits(name), succeeded }
}, Effect.scoped)

const backoff: RetryRow.Waits = { words: "backoff", seconds: RetryRow.doubled(0.25), spread: [1, 1.25] }

describe("the table of retries", { timeout: 60_000 }, () => {
  for (const [name, request] of Object.entries(requests)) {
    it.scopedLive(`has what the program does: ${name}`, () =>
      Effect.gen(function* () {
        const recorded = yield* recordFetch
        const row = yield* RetryRow.make(`\`heddle-assistant\`: ${name}`, [RetryRow.busy, backoff], (fault) =>
          drive(recorded, request, fault)
        )
        assert.deepStrictEqual(RetryRow.published(row), [row])
      })
    )

    for (const status of [429, 503])
      it.scopedLive(`has no wait shorter than Retry-After: ${name}, ${status}`, () =>
        Effect.gen(function* () {
          const { waits } = yield* drive(yield* recordFetch, request, { status, retryAfterSeconds: 3 })
          const [first = 0, second = 0, third = 0] = waits
          assert.isAtLeast(Math.min(first, second), 3)
          assert.isAtLeast(third, status === 429 ? 4 : 3)
          // Where it does not limit requests, its own waits do not grow beyond those of any failure.
          if (status === 503) assert.isAtMost(Math.max(...waits), 6)
        })
      )
  }
})
