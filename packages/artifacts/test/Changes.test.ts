import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import type * as AcpSession from "@heddle/acp/AcpSession"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Extension from "@heddle/acp/Extension"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { RequestListener } from "node:http"
import { artifactsAt, lists, serve, wire } from "./support/Serve.ts"

const pushed = (params: Extension.Standard["params"]): AcpSession.SessionEvent => ({
  _tag: "Extension",
  name: "artifact",
  method: "_vendor.ai/artifact",
  params
})

const ready: AcpSession.SessionEvent = { _tag: "Ready", repeatsHistory: true }

const gone = (uri: string) => ({ sessionId: "task-1", event: "deleted", artifact: { type: "overview", uri } })

const texts = (index: ArtifactIndex.ArtifactIndex) =>
  ArtifactIndex.toArray(index).map(({ artifact }) => (artifact.type === "overview" ? artifact.text : artifact.type))

/** A session whose list is served by `handler`, and its artifacts as they are followed. */
const follow = (handler: RequestListener) =>
  Effect.gen(function* () {
    const server = yield* serve(handler)
    const artifacts = yield* artifactsAt(`${server.url}/acp`)
    const source = yield* Mailbox.make<AcpSession.SessionEvent, string>()
    const heard = yield* Queue.unbounded<ReadonlyArray<string>>()
    const fiber = yield* artifacts.changes(Mailbox.toStream(source), { sessionId: "task-1" }).pipe(
      Stream.runForEach((index) => Queue.offer(heard, texts(index))),
      Effect.forkScoped
    )
    const until = (expected: ReadonlyArray<string>) =>
      Queue.take(heard).pipe(
        Effect.repeat({ until: (texts) => JSON.stringify(texts) === JSON.stringify(expected) }),
        Effect.timeoutFail({ duration: "5 seconds", onTimeout: () => `it never became ${expected.join(", ")}` })
      )
    return { server, source, until, outcome: Effect.either(fiber) }
  })

describe("Artifacts.changes", () => {
  const run = <A, E>(name: string, effect: () => Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>) =>
    it.scopedLive(name, () => Effect.suspend(effect).pipe(Effect.provide(FetchHttpClient.layer)))

  run("starts with the list, keeps pushes that came meanwhile, and follows pushes", () =>
    Effect.gen(function* () {
      let asked = () => {}
      const answer = lists(() => [wire("agent:///a", 1), wire("agent:///b", 2), wire("agent:///c", 3)])
      const { outcome, server, source, until } = yield* follow((request, response) => {
        asked()
        answer(request, response)
      })
      asked = () => {
        source.unsafeOffer(pushed(wire("agent:///a", 4, "updated")))
        source.unsafeOffer(pushed(gone("agent:///b")))
      }
      yield* until(["agent:///a 4", "agent:///c 3"])
      yield* source.offer(pushed(wire("agent:///d", 5)))
      yield* until(["agent:///a 4", "agent:///c 3", "agent:///d 5"])
      yield* source.offerAll([
        pushed(wire("agent:///d", 5)),
        pushed(wire("agent:///a", 1)),
        pushed({ ...wire("agent:///e", 9), sessionId: "task-2" }),
        pushed(gone("agent:///c"))
      ])
      yield* until(["agent:///a 4", "agent:///d 5"])
      assert.strictEqual(server.seen.length, 1)
      yield* source.end
      assert.isTrue(Either.isRight(yield* outcome))
    })
  )

  run("lists again after a reconnect, a skipped message and an unreadable push", () =>
    Effect.gen(function* () {
      let all = [wire("agent:///a", 1)]
      const { source, until } = yield* follow(lists(() => all))
      yield* until(["agent:///a 1"])
      all = [wire("agent:///b", 2)]
      yield* source.offerAll([{ _tag: "Interrupted", error: { _tag: "ConnectionLost" } as never }, ready])
      yield* until(["agent:///b 2"])
      all = [wire("agent:///c", 3)]
      yield* source.offer({ _tag: "Skipped", reason: "TooLarge", sample: "" })
      yield* until(["agent:///c 3"])
      all = []
      yield* source.offer(pushed({ event: "deleted" }))
      yield* until([])
    })
  )

  run("retries while the sandbox is away, renews a refused token, and goes on", () =>
    Effect.gen(function* () {
      const statuses = [503, 401]
      const answer = lists(() => [wire("agent:///a", 1)])
      const { server, source, until } = yield* follow((request, response) => {
        const status = statuses.shift()
        return status === undefined ? answer(request, response) : response.writeHead(status).end()
      })
      yield* until(["agent:///a 1"])
      yield* source.offer(pushed(wire("agent:///b", 2)))
      yield* until(["agent:///a 1", "agent:///b 2"])
      assert.deepStrictEqual(
        server.seen.map(({ authorization }) => authorization),
        ["Bearer token-1", "Bearer token-1", "Bearer token-2"]
      )
    })
  )

  run("lists once for many reasons at the same time", () =>
    Effect.gen(function* () {
      const { outcome, server, source, until } = yield* follow(lists(() => [wire("agent:///a", 1)]))
      yield* until(["agent:///a 1"])
      yield* source.offerAll(Array.from({ length: 50 }, () => ready))
      yield* source.end
      assert.isTrue(Either.isRight(yield* outcome))
      assert.isAtMost(server.seen.length, 3)
    })
  )

  run("gets the md5 and url that pushes lack by one small list", () =>
    Effect.gen(function* () {
      const listed = (name: string, updatedAt: number) => ({
        sessionId: "task-1",
        event: "updated",
        artifact: { type: "media", uri: `agent:///${name}`, size: updatedAt, updatedAt },
        md5: `${name}${updatedAt}`,
        url: `/${name}?signature=${updatedAt}`
      })
      const told = (name: string, updatedAt: number) => {
        const { artifact, event, sessionId } = listed(name, updatedAt)
        return pushed({ artifact, event, sessionId })
      }
      let all = [listed("a", 1), listed("b", 2)]
      const server = yield* serve(
        lists((asked) => all.filter(({ artifact }) => artifact.updatedAt >= Number(asked.get("startMs") ?? 0)))
      )
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const source = yield* Mailbox.make<AcpSession.SessionEvent>()
      const heard = yield* Queue.unbounded<ArtifactIndex.ArtifactIndex>()
      yield* artifacts.changes(Mailbox.toStream(source), { sessionId: "task-1" }).pipe(
        Stream.runForEach((index) => Queue.offer(heard, index)),
        Effect.forkScoped
      )
      const until = (is: (index: ArtifactIndex.ArtifactIndex) => boolean) =>
        Queue.take(heard).pipe(Effect.repeat({ until: is }), Effect.timeout("5 seconds"))
      const whole = (index: ArtifactIndex.ArtifactIndex) =>
        JSON.stringify([...ArtifactIndex.values(index)].map(({ md5, url }) => [md5, url]).sort()) ===
        JSON.stringify(all.map(({ md5, url }) => [md5, url]).sort())
      yield* until(whole)
      // Told again, the file is still the one that was listed.
      yield* source.offer(told("b", 2))
      yield* until(whole)
      assert.strictEqual(server.seen.length, 1)
      all = [listed("a", 7), listed("b", 2), ...Array.from({ length: 20 }, (_, at) => listed(`c${at}`, 10 + at))]
      yield* source.offerAll([told("a", 7), ...Array.from({ length: 20 }, (_, at) => told(`c${at}`, 10 + at))])
      const between = yield* until((index) => ArtifactIndex.get(index, "agent:///a")?.artifact.updatedAt === 7)
      assert.deepInclude(ArtifactIndex.get(between, "agent:///a"), { url: "/a?signature=1" })
      assert.isUndefined(ArtifactIndex.get(between, "agent:///a")?.md5)
      yield* until(whole)
      assert.deepStrictEqual(
        server.seen.map(({ path }) => new URL(path, "http://x").searchParams.get("startMs")),
        [null, "7"]
      )
    })
  )

  run("fails when the session is gone or the source fails", () =>
    Effect.gen(function* () {
      const ended = yield* follow((_, response) =>
        response.writeHead(404).end(JSON.stringify({ code: 1, msg: "session ended" }))
      )
      const error = yield* Effect.flip(Effect.flatten(ended.outcome))
      assert.strictEqual(typeof error === "string" ? error : error._tag, "SessionGone")
      const broken = yield* follow(lists(() => [wire("agent:///a", 1)]))
      yield* broken.until(["agent:///a 1"])
      yield* broken.source.fail("broken")
      assert.deepStrictEqual(yield* broken.outcome, Either.left("broken"))
    })
  )

  run("publishes pushes before and without a list if partial is set", () =>
    Effect.gen(function* () {
      let status = 503
      const answer = lists(() => [wire("agent:///a", 1)])
      const server = yield* serve((request, response) =>
        status === 200
          ? answer(request, response)
          : response.writeHead(status).end(JSON.stringify({ code: 1, msg: "" }))
      )
      const told = (link: string) =>
        Effect.gen(function* () {
          const artifacts = yield* artifactsAt(link)
          const source = yield* Mailbox.make<AcpSession.SessionEvent>()
          const heard = yield* Queue.unbounded<readonly [boolean, ...ReadonlyArray<string>]>()
          const session: Pick<AcpSession.AcpSession, "follow"> = {
            follow: (use) => Stream.runForEach(Mailbox.toStream(source), (event) => use([event]))
          }
          yield* artifacts
            .follow(session, { sessionId: "task-1", partial: true }, (index) =>
              Queue.offer(heard, [index.complete, ...texts(index)] as const)
            )
            .pipe(Effect.forkScoped)
          yield* source.offer(pushed(wire("agent:///b", 2)))
          assert.deepStrictEqual(yield* Queue.take(heard), [false, "agent:///b 2"])
          return { heard, source }
        })
      const { heard } = yield* told(`${server.url}/acp`)
      status = 200
      assert.deepStrictEqual(yield* Queue.take(heard), [true, "agent:///a 1"])
      const listless = yield* told(`${server.url}/sessions/1`)
      yield* listless.source.offer(pushed(gone("agent:///b")))
      assert.deepStrictEqual(yield* Queue.take(listless.heard), [false])
    })
  )

  run("gives a slow reader the newest index, and the last one at the end of the session", () =>
    Effect.gen(function* () {
      const server = yield* serve(lists(() => []))
      const artifacts = yield* artifactsAt(`${server.url}/acp`)
      const source = yield* Mailbox.make<AcpSession.SessionEvent>()
      const seen: Array<number> = []
      yield* artifacts.changes(Mailbox.toStream(source), {}).pipe(
        Stream.runForEach((index) =>
          Effect.gen(function* () {
            seen.push(ArtifactIndex.toArray(index).length)
            if (seen.length > 1) return
            yield* source.offerAll(Array.from({ length: 1000 }, (_, at) => pushed(wire(`agent:///${at}`, at))))
            yield* source.done(Exit.void)
            yield* source.await
          })
        )
      )
      assert.strictEqual(seen.at(-1), 1000)
      assert.isBelow(seen.length, 50)
    })
  )
})
