import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"

interface Run {
  readonly millis: number
  readonly artifacts: number
  /** Pushes come twice, late and as deletions. */
  readonly disorder?: boolean
}

/** Folds an entry into what is held. */
type Fold = (entry: ArtifactEntry) => void

const folds: Readonly<Record<string, () => Fold>> = {
  map: () => {
    const held = new Map<string, ArtifactEntry>()
    return (entry) => {
      if (entry.deleted) held.delete(entry.artifact.uri)
      else held.set(entry.artifact.uri, entry)
    }
  },
  index: () => {
    let index = ArtifactIndex.empty
    return (entry) => {
      index = ArtifactIndex.push(index, entry)
    }
  }
}

/** An entry for each artifact, at a time. */
const entries = ({ artifacts, disorder = false }: Run, time: number): ReadonlyArray<ArtifactEntry> =>
  Array.from({ length: artifacts }, (_, at) => ({
    artifact: {
      type: "overview",
      uri: `agent:///artifacts/task_1/reports/chapter-${at}.md`,
      text: "What was done.",
      createdAt: 1_763_000_000_000 + at,
      updatedAt: 1_763_000_000_000 + (disorder ? (at * 7919 + time * 104_729) % 1_000_003 : time)
    },
    sessionId: "task_1",
    deleted: disorder && (at + time) % 11 === 0
  }))

const made = new Map<string, { readonly fold: Fold; readonly rounds: ReadonlyArray<ReadonlyArray<ArtifactEntry>> }>()

const prepare = (run: Run) => {
  const key = `${run.artifacts} ${run.disorder}`
  const known = made.get(key)
  if (known !== undefined) return known
  const start = folds[process.argv[2] ?? ""]
  if (start === undefined) throw new Error(`no fold named ${process.argv[2]}`)
  // Of equally old pushes the later one counts: every one of them changes the index.
  const prepared = { fold: start(), rounds: Array.from({ length: run.disorder ? 4 : 1 }, (_, at) => entries(run, at)) }
  made.set(key, prepared)
  return prepared
}

/** Pushes until the time is over; tells how many thousands were pushed. */
const drive = (run: Run): number => {
  const { fold, rounds } = prepare(run)
  const until = performance.now() + run.millis
  let pushed = 0
  do {
    for (const entry of rounds[Math.trunc(pushed / run.artifacts) % rounds.length] ?? []) fold(entry)
    pushed += run.artifacts
  } while (performance.now() < until)
  return pushed / 1000
}

process.on("message", ({ run }: { readonly run?: Run }) => {
  if (run !== undefined) process.send?.({ done: drive(run) })
})
process.send?.({ ready: {} })
