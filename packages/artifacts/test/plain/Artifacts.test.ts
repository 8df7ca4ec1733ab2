import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as AcpSession from "@heddle/acp/AcpSession"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import { assert, describe, it } from "@effect/vitest"
import type { PlainServiceOptions } from "@heddle/plain-service"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { startSandbox } from "./Sandbox.ts"

const run = <A, E>(name: string, effect: () => Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>) =>
  it.scopedLive(name, () => Effect.suspend(effect).pipe(Effect.provide(FetchHttpClient.layer)))

/** Runs a test with each of the readings. */
const overReadings = <A, E>(
  readings: ReadonlyArray<PlainServiceOptions>,
  name: string,
  effect: (reading: PlainServiceOptions) => Effect.Effect<A, E, Scope.Scope | HttpClient.HttpClient>
) => {
  for (const reading of readings) run(`${name} (${JSON.stringify(reading)})`, () => effect(reading))
}

const base = "agent:///artifacts/"
const plan = (text: string, updatedAt: number) => ({ type: "plan", uri: `${base}plan`, text, updatedAt })
const file = { type: "media", uri: `${base}a b.png`, mimeType: "image/png", updatedAt: 5 }
const bytes = new Uint8Array([137, 80, 78, 71])

const uris = (entries: Iterable<ArtifactEntry>) => Array.from(entries, ({ artifact }) => artifact.uri)

const textOf = ({ artifact }: ArtifactEntry) => (artifact.type === "plan" ? artifact.text : artifact.type)

/** Follows the artifacts of a task; `until` waits for an index. */
const follow = (options: PlainServiceOptions) =>
  Effect.gen(function* () {
    const sandbox = yield* startSandbox(options)
    const { artifacts, taskId, ticket } = sandbox
    const session = yield* AcpSession.open({ ticket, sessionId: taskId })
    const indexes = yield* Queue.unbounded<ArtifactIndex.ArtifactIndex>()
    yield* artifacts
      .follow(session, { sessionId: taskId }, (index) => Queue.offer(indexes, index))
      .pipe(Effect.forkScoped)
    const until = (isWanted: (index: ArtifactIndex.ArtifactIndex) => boolean) =>
      Queue.take(indexes).pipe(
        Effect.repeat({ until: isWanted }),
        Effect.timeoutFail({ duration: "10 seconds", onTimeout: () => "the index never became as wanted" })
      )
    yield* until(({ complete }) => complete)
    return { ...sandbox, until }
  })

const lists = [
  { int64: "string", artifactPagination: "given" },
  { int64: "string", artifactPagination: "absent" },
  { int64: "number", artifactPagination: "given" },
  { int64: "number", artifactPagination: "absent" }
] as const

describe.concurrent("Artifacts of a service that keeps the document and nothing more", () => {
  overReadings(lists, "lists every artifact with its times and sizes", (reading) =>
    Effect.gen(function* () {
      const { artifacts, service, taskId } = yield* startSandbox(reading)
      const all = Array.from({ length: 450 }, (_, at) => ({ ...file, uri: `${base}${at}`, updatedAt: 1000 + at }))
      for (const artifact of all) service.putArtifact(taskId, "created", artifact, bytes)
      const entries = yield* artifacts.listAll({ sessionId: taskId })
      assert.deepStrictEqual(
        uris(entries),
        all.map(({ uri }) => uri)
      )
      const { artifact } = entries[449]!
      assert.deepInclude(artifact, { type: "media", updatedAt: 1449, size: 4 })
      const items = yield* Stream.runCollect(artifacts.items({ sessionId: taskId, limit: 90 }))
      assert.deepStrictEqual(uris(items), uris(entries))
      const since = yield* artifacts.since(1440, { sessionId: taskId })
      assert.deepStrictEqual([since.entries.length, since.next], [10, 1449])
    })
  )

  overReadings(lists, "keeps a newer state although an older push comes late", (reading) =>
    Effect.gen(function* () {
      const { service, taskId, until } = yield* follow(reading)
      service.putArtifact(taskId, "created", plan("new", 2000))
      service.putArtifact(taskId, "updated", plan("old", 1000))
      service.putArtifact(taskId, "created", { ...plan("last", 3000), uri: `${base}last` })
      const index = yield* until((index) => ArtifactIndex.isListed(index, `${base}last`))
      assert.deepStrictEqual(ArtifactIndex.toArray(index).map(textOf).toSorted(), ["last", "new"])
    })
  )

  overReadings(lists, "has unknown types with their names, descriptions and times", (reading) =>
    Effect.gen(function* () {
      const { artifacts, service, taskId } = yield* startSandbox(reading)
      const diagram = { type: "diagram", uri: `${base}d`, name: "Flow", description: "How it flows" }
      service.putArtifact(taskId, "created", { ...diagram, createdAt: 6, updatedAt: 7 })
      const [entry] = yield* artifacts.listAll({ sessionId: taskId })
      const { type: tag, ...rest } = diagram
      assert.deepInclude(entry?.artifact, { type: "other", tag, ...rest, createdAt: 6, updatedAt: 7 })
    })
  )

  overReadings(
    [{ deletedArtifacts: "listed" }, { deletedArtifacts: "absent" }],
    "drops what was deleted, before and after it was listed",
    (reading) =>
      Effect.gen(function* () {
        const { artifacts, service, taskId, until } = yield* follow(reading)
        for (const name of ["a", "b", "c"]) {
          service.putArtifact(taskId, "created", { ...plan(name, 1000), uri: `${base}${name}` })
        }
        yield* until((index) => ["a", "b", "c"].every((name) => ArtifactIndex.isListed(index, `${base}${name}`)))
        service.putArtifact(taskId, "deleted", { type: "plan", uri: `${base}b` })
        service.putArtifact(taskId, "created", { ...plan("d", 1001), uri: `${base}d` })
        const index = yield* until((index) => ArtifactIndex.isListed(index, `${base}d`))
        assert.deepStrictEqual(ArtifactIndex.toArray(index).map(textOf).toSorted(), ["a", "c", "d"])
        const list = yield* artifacts.listAll({ sessionId: taskId })
        assert.deepStrictEqual(list.filter(({ deleted }) => !deleted).map(textOf), ["a", "c", "d"])
      })
  )

  run("names the session to a sandbox that has several", () =>
    Effect.gen(function* () {
      const { artifacts, service, taskId, until } = yield* follow({ severalSessions: true })
      service.putArtifact(taskId, "created", plan("one", 1))
      yield* until((index) => ArtifactIndex.isListed(index, `${base}plan`))
      assert.deepInclude(yield* Effect.flip(artifacts.list({})), {
        _tag: "InvalidQuery",
        description: "sessionId is required"
      })
    })
  )

  overReadings(
    [
      { media: "uri", int64: "string" },
      { media: "uri", int64: "number" },
      { media: "url", int64: "string" },
      { media: "url", int64: "number" }
    ],
    "downloads a file without md5, and takes it as whole by its size",
    (reading) =>
      Effect.gen(function* () {
        const { artifacts, service, taskId } = yield* startSandbox(reading)
        service.putArtifact(taskId, "created", file, bytes)
        service.putArtifact(taskId, "created", { ...file, uri: `${base}cut.png`, size: 5 }, bytes)
        const [whole, cut] = yield* artifacts.listAll({ sessionId: taskId })
        assert.strictEqual(whole?.url === undefined, reading.media === "uri")
        const received = yield* Stream.runCollect(artifacts.download(whole!, { maxBytes: 100 }))
        assert.isTrue(Buffer.concat(Chunk.toArray(received)).equals(bytes))
        const error = yield* Effect.flip(Stream.runDrain(artifacts.download(cut!, { maxBytes: 100 })))
        assert.deepInclude(error, { _tag: "MediaCorrupted", property: "size", expected: "5", actual: "4" })
      })
  )

  overReadings(
    (["empty", "invalid_token", "Unauthorized", "envelope", "text"] as const).flatMap((unauthorized) => [
      { unauthorized, linkMovesOnQuery: false },
      { unauthorized, linkMovesOnQuery: true }
    ]),
    "renews a refused token once, for a list and for a download",
    (reading) =>
      Effect.gen(function* () {
        const { artifacts, service, taskId } = yield* startSandbox(reading)
        service.putArtifact(taskId, "created", file, bytes)
        const queries = () => service.requests.filter(({ path }) => path === `/openapi/v2/tasks/${taskId}`).length
        yield* artifacts.listAll({ sessionId: taskId })
        const before = queries()
        service.revokeTickets()
        const [entry] = yield* artifacts.listAll({ sessionId: taskId })
        assert.strictEqual(queries(), before + 1)
        service.revokeTickets()
        yield* Stream.runDrain(artifacts.download(entry!, { maxBytes: 100 }))
        assert.strictEqual(queries(), before + 2)
        service.addFault({ path: /\/artifacts$/, when: "before", effect: { status: 401 }, times: 9 })
        assert.strictEqual((yield* Effect.flip(artifacts.list({ sessionId: taskId })))._tag, "Unauthorized")
        assert.strictEqual(queries(), before + 3)
      })
  )

  for (const [name, path] of [
    ["list", /\/api\/session\/artifacts$/],
    ["download", /\/artifacts\/a%20b\.png$/]
  ] as const) {
    run(`waits as long as a busy service says before it repeats a ${name}`, () =>
      Effect.gen(function* () {
        const { artifacts, service, taskId } = yield* startSandbox()
        service.putArtifact(taskId, "created", file, bytes)
        service.addFault({ path, when: "before", effect: { status: 429, retryAfterSeconds: 2 } })
        const [entry] = yield* artifacts.listAll({ sessionId: taskId })
        yield* Stream.runDrain(artifacts.download(entry!, { maxBytes: 100 }))
        const asked = service.requests.filter((request) => path.test(request.path))
        assert.deepStrictEqual(
          asked.map(({ status }) => status),
          [429, 200]
        )
        assert.isAtLeast(asked[1]!.at - asked[0]!.at, 2000)
      })
    )
  }
})
