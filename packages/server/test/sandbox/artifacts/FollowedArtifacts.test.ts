import { assert, it } from "@effect/vitest"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { artifactsOf } from "../support/artifacts.ts"
import { Client } from "../support/client.ts"
import * as Cutting from "../support/Cutting.ts"
import { start } from "../support/service.ts"

/** How many turns, each of them cut twice: HEDDLE_ROUNDS=50 by hand. */
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 3)

/** The received artifacts, without the signatures of their addresses, which differ in each list. */
const plain = (entries: Iterable<ArtifactEntry>) =>
  Array.from(entries, ({ artifact, deleted, event, md5, sessionId, url }) => ({
    uri: artifact.uri,
    artifact,
    deleted,
    event,
    md5,
    sessionId,
    url: url?.split("?")[0]
  })).sort((a, b) => (a.uri < b.uri ? -1 : 1))

const turnOf = (round: number) =>
  [
    `plan ${JSON.stringify([{ content: `round ${round}`, priority: "high", status: "in_progress" }])}`,
    `write artifacts/round-${round}.txt ${"text ".repeat(round + 1)}`,
    "wait 60",
    `write artifacts/same.txt round ${round % 10}`,
    `write artifacts/plan.md # Round ${round}`,
    "wait 60",
    `write artifacts/passing.txt ${round}`,
    ...(round > 1 ? [`remove artifacts/round-${round - 2}.txt`] : []),
    "wait 60",
    "remove artifacts/passing.txt"
  ].join("\n")

it.scopedLive(
  "a followed index equals the service's list after broken connections, and every file downloads completely",
  () =>
    Effect.gen(function* () {
      const service = yield* Effect.acquireRelease(
        Effect.promise(() => start({})),
        ({ stop }) => Effect.promise(stop)
      )
      const network = yield* Effect.acquireRelease(
        Effect.promise(() => Cutting.open(service.url)),
        ({ close }) => Effect.sync(close)
      )
      const task = yield* Effect.promise(() => service.task())
      const { artifacts, ticket } = yield* artifactsOf(task, network.url)
      const { artifacts: direct } = yield* artifactsOf(task, service.url)
      const session = yield* AcpSession.open({ ticket, sessionId: task.taskId })
      const heard = yield* Queue.unbounded<ArtifactIndex.ArtifactIndex>()
      const following = yield* artifacts.changes(session.changes, { sessionId: task.taskId }).pipe(
        Stream.runForEach((index) => Queue.offer(heard, index)),
        Effect.forkScoped
      )
      const agent = yield* Effect.promise(() => Client.loaded(task))
      for (let round = 0; round < rounds; round++) {
        const turn = yield* Effect.fork(Effect.promise(() => agent.prompt(turnOf(round))))
        for (const pause of [50, 100]) {
          yield* Effect.sleep(pause)
          network.cut()
        }
        yield* turn
      }
      assert.isAbove(network.tally.cuts, rounds)
      let last = ArtifactIndex.empty
      const settled = Effect.gen(function* () {
        const expected = plain(yield* direct.listAll({}))
        assert.isAtLeast(expected.length, 3)
        const text = JSON.stringify(expected)
        yield* Queue.take(heard).pipe(
          Effect.tap((index) => Effect.sync(() => (last = index))),
          Effect.repeat({ until: (index) => JSON.stringify(plain(ArtifactIndex.values(index))) === text }),
          Effect.raceFirst(following),
          Effect.timeout("20 seconds"),
          Effect.catchTag("TimeoutException", () => Effect.void)
        )
        assert.deepStrictEqual(plain(ArtifactIndex.values(last)), expected)
      })
      yield* settled
      // Without faults it learns of them by pushes alone, which are not complete.
      yield* Effect.promise(() => agent.prompt(turnOf(rounds)))
      yield* settled
      // Each file has its md5, by which its download is checked.
      for (const entry of ArtifactIndex.values(last)) {
        if (entry.artifact.type !== "media") continue
        assert.match(entry.md5 ?? "", /^[0-9a-f]{32}$/)
        const bytes = yield* Stream.runCollect(artifacts.download(entry, { maxBytes: 1_000_000 }))
        const file = Path.join(task.folder, entry.artifact.uri.slice("agent:///".length))
        assert.deepStrictEqual(Buffer.concat(Chunk.toReadonlyArray(bytes)), Fs.readFileSync(file))
      }
    }),
  600_000
)
