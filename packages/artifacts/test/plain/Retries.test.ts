import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import { assert, describe, it } from "@effect/vitest"
import * as RetryRecorder from "@heddle/test-support/retries/RetryRecorder"
import * as RetryRow from "@heddle/test-support/retries/RetryRow"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { startSandbox } from "./Sandbox.ts"

const bytes = new Uint8Array([137, 80, 78, 71])
const file = { type: "media", uri: "agent:///artifacts/a.png", mimeType: "image/png", updatedAt: 5 }

const paths = { list: /\/api\/session\/artifacts$/, media: /\/a\.png$/ }
type Name = keyof typeof paths

const nameOf = ({ url }: RetryRecorder.Request): string => {
  const { pathname } = new URL(url)
  return paths.list.test(pathname) ? "list" : paths.media.test(pathname) ? "media" : "task"
}

/** What a list or a download does about faults of its requests. */
const drive = (recorder: RetryRecorder.RetryRecorder, name: Name, fault: RetryRow.Fault) => {
  const recording = recorder.record(nameOf)
  return Effect.gen(function* () {
    const { artifacts, service, taskId, ticket } = yield* startSandbox()
    service.putArtifact(taskId, "created", file, bytes)
    const list = artifacts.listAll({ sessionId: taskId })
    const [entry] = name === "media" ? yield* list : []
    yield* ticket.current
    const queries = recording.count("task")
    if (fault === "not sent") recording.refuse(name, RetryRow.times)
    else {
      const effect = fault === "answer lost" ? "reset" : fault
      service.addFault({ path: paths[name], when: "before", effect, times: RetryRow.times })
    }
    const download = (of: ArtifactEntry) => artifacts.download(of, { maxBytes: 100, idleTimeout: "10 minutes" })
    const use: Effect.Effect<unknown, unknown> = entry === undefined ? list : Stream.runDrain(download(entry))
    const done = yield* Effect.exit(use)
    const renewals = recording.count("task") - queries
    return { waits: recording.waits(name), succeeded: Exit.isSuccess(done), renewals }
  }).pipe(
    Effect.scoped,
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.Fetch, recording.fetch)
  )
}

describe.concurrent("the table of retries", { timeout: 60_000 }, () => {
  for (const name of ["list", "media"] as const) {
    it.scopedLive(`has what a client does: ${name}`, () =>
      Effect.gen(function* () {
        const recorder = yield* RetryRecorder.make
        const row = yield* RetryRow.make(`Artifacts: ${name}`, [RetryRow.busy], (fault) => drive(recorder, name, fault))
        assert.deepStrictEqual(RetryRow.published(row), [row])
      })
    )

    it.scopedLive(`has no wait shorter than Retry-After: ${name}`, () =>
      Effect.gen(function* () {
        const recorder = yield* RetryRecorder.make
        const { waits } = yield* drive(recorder, name, { status: 429, retryAfterSeconds: 3 })
        const [first = 0, second = 0, third = 0] = waits
        assert.isAtLeast(Math.min(first, second), 3)
        assert.isAtLeast(third, 4)
      })
    )
  }
})
