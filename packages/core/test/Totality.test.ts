import { FetchHttpClient } from "@effect/platform"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it, onTestFinished } from "@effect/vitest"
import * as BaseUrl from "@heddle/core/BaseUrl"
import * as CallOptions from "@heddle/core/CallOptions"
import { NewTask } from "@heddle/core/domain/Task"
import * as OpenApiError from "@heddle/core/OpenApiError"
import * as Operation from "@heddle/core/Operation"
import * as Tasks from "@heddle/core/Tasks"
import * as Transport from "@heddle/core/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { once } from "node:events"
import * as Net from "node:net"
import { inspect } from "node:util"
import * as Memory from "./Memory.ts"
import * as Recorder from "./Recorder.ts"
import { anyAnswer, derive, redacted, secrets, type Ending, type Secret } from "./AnyAnswer.ts"

const isTyped = Schema.is(
  Schema.Union(
    OpenApiError.Refusal,
    OpenApiError.ContractViolation,
    OpenApiError.Unreachable,
    OpenApiError.OutcomeUnknown
  )
)

/** The name of every error that an answer can end in. */
const tags = [
  ...OpenApiError.Refusal.members,
  OpenApiError.ContractViolation,
  OpenApiError.Unreachable,
  OpenApiError.OutcomeUnknown
].map(({ name }) => name)

const shown = (error: unknown): string =>
  [inspect(error, { depth: 9, maxStringLength: null }), JSON.stringify(error), String(error)].join("\n")

const assertNoSecret = (text: string, carried: ReadonlyArray<Secret>) => {
  for (const name of carried) assert.notInclude(text, secrets[name])
  if (carried.includes("phone")) assert.notMatch(text, /138\D{0,3}1234\D{0,3}5678/)
}

const bodyOf = (text: string, end: Ending): ReadableStream => {
  const bytes = new TextEncoder().encode(text)
  const middle = bytes.length >> 1
  return new ReadableStream({
    start: (controller) => {
      for (const part of end === "whole" ? [bytes] : [bytes.subarray(0, middle), bytes.subarray(middle)]) {
        if (part.length > 0) controller.enqueue(part)
        if (end === "broken") return controller.error(new Error("broken off"))
      }
      controller.close()
    }
  })
}

/** How many answers are read, and how many go through the whole client: HEDDLE_ROUNDS=100000 by hand. */
const cases = Number(process.env["HEDDLE_ROUNDS"] ?? 1_000)
const timeout = 60_000 + 10 * cases
// One seed, since chance may leave out a rare error.
const seed = Number(process.env["HEDDLE_TEST_SEED"] ?? 20_261_121)

/** Stacks hold no data, and resolving thousands of them takes longer than all the rest. */
const withoutStacks = () => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit
  })
}

describe("any answer", () => {
  it("is read as a typed error without a secret", { timeout }, () => {
    withoutStacks()
    FastCheck.assert(
      FastCheck.property(anyAnswer, ([[operation, carried], status, headers, body]) => {
        const error = OpenApiError.fromResponse({
          status,
          headers,
          body,
          operation: operation.name,
          secrets: carried.map(redacted)
        })
        assert.isTrue(isTyped(error))
        assert.strictEqual(error.status, status)
        assertNoSecret(shown(error), carried)
      }),
      { numRuns: cases }
    )
  })

  it("ends the call of a client in a value or in a typed error without a secret", { timeout }, async () => {
    withoutStacks()
    let answer = () => new Response()
    const { httpClient } = Memory.make(() => answer())
    const recorder = Recorder.make()
    const runtime = ManagedRuntime.make(recorder.layer)
    onTestFinished(() => runtime.dispose())
    const api = await Effect.runPromise(
      Effect.flatMap(BaseUrl.make("https://example.com"), (baseUrl) => derive(Transport.make({ httpClient, baseUrl })))
    )
    const ends = new Map<string, number>()
    const ended = (how: string) => void ends.set(how, (ends.get(how) ?? 0) + 1)
    await FastCheck.assert(
      FastCheck.asyncProperty(anyAnswer, async ([[operation, carried, call], status, headers, text, end]) => {
        const isEmpty = [204, 205, 304].includes(status)
        answer = () => new Response(isEmpty ? null : bodyOf(text, end), { status, headers })
        const exit = await runtime.runPromiseExit(
          Transport.run(operation, call(api)).pipe(
            Effect.provideService(Transport.BearerToken, Option.some(redacted("accessToken")))
          )
        )
        const seeded = ["accessToken", ...carried] as const
        assertNoSecret(shown([recorder.logs.splice(0), [...(recorder.spans.at(-1)?.attributes ?? [])]]), seeded)
        if (Exit.isSuccess(exit)) return ended("value")
        assert.isTrue(Cause.isFailType(exit.cause), String(exit.cause))
        const error = Option.getOrThrow(Cause.failureOption(exit.cause))
        assert.isTrue(isTyped(error))
        assertNoSecret(shown(error), seeded)
        ended(error._tag)
      }),
      { numRuns: cases, seed }
    )
    // Were one of these missing, the answers would not be as various as they are meant to be.
    for (const end of ["value", ...tags]) assert.isAbove(ends.get(end) ?? 0, 0, end)
    assert.isAbove(ends.get("value") ?? 0, cases / 50)
    assert.isBelow(ends.get("value") ?? 0, cases / 2)
    assert.lengthOf(recorder.spans, cases)
  })

  it.effect("forgets the token that a revocation carried", () =>
    Effect.gen(function* () {
      const { httpClient } = Memory.make(() =>
        Memory.json(400, { error: "invalid_request", msg: secrets.refreshToken })
      )
      const baseUrl = yield* BaseUrl.make("https://example.com")
      const transport = Transport.make({ httpClient, baseUrl })
      const error = yield* HttpClientRequest.post("/revoke").pipe(
        HttpClientRequest.bodyUrlParams({ token: secrets.refreshToken }),
        transport.execute,
        (call) => Transport.run(Operation.revoke, call),
        Effect.flip
      )
      assert.propertyVal(error, "description", "[redacted]")
    })
  )

  it("reads every status that HTTP knows", () => {
    for (let status = 100; status < 600; status += 1) {
      const error = OpenApiError.fromResponse({ status, headers: {}, body: "", operation: "tasks.get" })
      assert.isTrue(isTyped(error))
      assert.strictEqual(error.status, status)
    }
  })
})

/** A server that answers every connection with these bytes, in pieces, and then closes or stays open, as configured. */
const raw = (pieces: ReadonlyArray<string>, then: "end" | "reset" | "wait") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Net.Socket>()
      const server = Net.createServer((socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.once("data", () => {
          for (const piece of pieces) socket.write(piece)
          if (then === "end") socket.end()
          if (then === "reset") socket.resetAndDestroy()
        })
      })
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      const address = server.address()
      return { server, sockets, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` }
    }),
    ({ server, sockets }) =>
      Effect.async<void>((resume) => {
        server.close(() => resume(Effect.void))
        for (const socket of sockets) socket.destroy()
      })
  )

const http = { fetch: FetchHttpClient.layer, node: NodeHttpClient.layer, undici: NodeHttpClient.layerUndici }

describe.each(["fetch", "node", "undici"] as const)("over a socket and %s", (kind) => {
  const ok = "HTTP/1.1 200 OK\r\n"
  const task = '{"task_id":"t","status":"idle"}'
  const answers: ReadonlyArray<
    readonly [name: string, pieces: ReadonlyArray<string>, then: "end" | "reset" | "wait", tag: string]
  > = [
    ["nothing", [], "end", "OutcomeUnknown"],
    ["a reset", [], "reset", "OutcomeUnknown"],
    ["silence", [], "wait", "OutcomeUnknown"],
    ["no HTTP", ["SSH-2.0-OpenSSH\r\n\r\n"], "end", "OutcomeUnknown"],
    ["half a header", ["HTTP/1.1 200 OK\r\ncontent-le"], "end", "OutcomeUnknown"],
    ["a body cut off", [`${ok}content-length: 100\r\n\r\n${task}`], "end", "OutcomeUnknown"],
    ["chunks cut off", [`${ok}transfer-encoding: chunked\r\n\r\n5\r\n{"tas`], "end", "OutcomeUnknown"],
    ["a body that stalls", [`${ok}content-length: 100\r\n\r\n`, task], "wait", "OutcomeUnknown"],
    ["an error that stalls", ["HTTP/1.1 400 Bad\r\ncontent-length: 100\r\n\r\nno"], "wait", "OutcomeUnknown"],
    ["an error cut off", ["HTTP/1.1 403 No\r\ncontent-length: 100\r\n\r\n{"], "end", "AccessDenied"],
    ["no body", [`HTTP/1.1 204 No Content\r\n\r\n`], "end", "ContractViolation"],
    ["ten megabytes of error", ["HTTP/1.1 400 Bad\r\n\r\n", "x".repeat(10_000_000)], "end", "InvalidRequest"],
    ["a body without an end", [`${ok}\r\n`, "x".repeat(17_000_000)], "wait", "ContractViolation"]
  ]
  it.live.each(answers)("ends in a typed error: %s", ([, pieces, then, tag]) =>
    Effect.gen(function* () {
      const { url } = yield* raw(pieces, then)
      const stalls = then === "wait" && pieces.join("").length < 1_000
      const live = Layer.unwrapEffect(
        Effect.map(HttpClient.HttpClient, (httpClient) => Memory.services(httpClient, { baseUrl: url }))
      ).pipe(Layer.provide(http[kind]))
      const exit = yield* Effect.flatMap(Tasks.Tasks, (tasks) => tasks.create(new NewTask({ prompt: "x" }))).pipe(
        CallOptions.with({ timeout: stalls ? "300 millis" : "10 seconds", retry: "none" }),
        Effect.provide(live),
        Effect.exit
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.isFailType(exit.cause), String(exit))
      const error = Exit.isFailure(exit) ? Option.getOrThrow(Cause.failureOption(exit.cause)) : undefined
      assert.isTrue(isTyped(error))
      assert.strictEqual(error?._tag, tag)
    }).pipe(Effect.scoped)
  )
})
