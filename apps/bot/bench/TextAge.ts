/** When an answer sent each of its tokens; times in milliseconds. */
export interface SentAnswer {
  readonly threadId: string
  /** The number of its first token in the thread. */
  readonly from: number
  readonly times: ReadonlyArray<number>
}

/** From `at` on, the tokens of a thread before `count` are visible. */
export interface VisibleTokens {
  readonly threadId: string
  readonly count: number
  readonly at: number
}

/** Of many waits, in seconds. */
export interface Spread {
  readonly p50: number
  readonly p95: number
  readonly max: number
}

export interface Measured {
  readonly turns: number
  /** Seconds since the first token that is not visible was sent, mean over time and threads. */
  readonly age: number
  readonly first: Spread
  readonly final: Spread
}

/** Compares the sent tokens with the visible ones. */
export const measure = (answers: ReadonlyArray<SentAnswer>, visible: ReadonlyArray<VisibleTokens>): Measured => {
  const byThread = new Map<string, Array<VisibleTokens>>()
  for (const each of visible) byThread.set(each.threadId, [...(byThread.get(each.threadId) ?? []), each])
  let weighted = 0
  let time = 0
  const first: Array<number> = []
  const final: Array<number> = []
  for (const answer of answers) {
    const { from, threadId, times } = answer
    const steps = byThread.get(threadId) ?? []
    const visibleAt = (token: number) => steps.find(({ count }) => count > token)?.at ?? Number.POSITIVE_INFINITY
    first.push(visibleAt(from) - at(times, 0))
    final.push(visibleAt(from + times.length - 1) - at(times, times.length - 1))
    const area = integrate(answer, steps)
    weighted += area.weighted
    time += area.time
  }
  return { turns: answers.length, age: weighted / time / 1000, first: spread(first), final: spread(final) }
}

/** The area below the age of the text, from the second window of limits on (or its second half) to its last token. */
const integrate = (
  { from, times }: SentAnswer,
  steps: ReadonlyArray<VisibleTokens>
): { weighted: number; time: number } => {
  const end = at(times, times.length - 1)
  const begin = Math.min(at(times, 0) + 5000, (at(times, 0) + end) / 2)
  const points = [
    { count: from, at: Number.NEGATIVE_INFINITY },
    ...steps,
    { count: Number.POSITIVE_INFINITY, at: Number.POSITIVE_INFINITY }
  ]
  let weighted = 0
  for (const [index, { at: since, count }] of points.entries()) {
    const missing = times[Math.max(0, count - from)]
    const until = Math.min(end, points[index + 1]?.at ?? Number.POSITIVE_INFINITY)
    const start = Math.max(begin, since, missing ?? Number.POSITIVE_INFINITY)
    if (missing !== undefined && until > start) weighted += ((until - missing) ** 2 - (start - missing) ** 2) / 2
  }
  return { weighted, time: end - begin }
}

const spread = (waits: ReadonlyArray<number>): Spread => {
  const sorted = waits.toSorted((a, b) => a - b)
  const quantile = (part: number) => at(sorted, Math.min(sorted.length - 1, Math.floor(sorted.length * part))) / 1000
  return { p50: quantile(0.5), p95: quantile(0.95), max: quantile(1) }
}

const at = (values: ReadonlyArray<number>, index: number): number => values[index] ?? Number.NaN
