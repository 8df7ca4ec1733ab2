import type { SentAnswer } from "./TextAge.ts"

/** The length of the run: every thread gets `turns` answers, one after the other. */
export interface Script {
  readonly threads: number
  /** A single answer lasts so long; of several, each lasts half of it to all of it. */
  readonly seconds: number
  readonly tokenMs: number
  readonly turns: number
  readonly seed: number
  /** The end of the text is the end of the run: what is not visible then is not waited for. */
  readonly cut?: boolean
}

/** An answer that grows. */
export interface Answer {
  readonly threadId: string
  readonly turn: number
  /** Starts it; the rest comes by `grow`. */
  readonly begin: () => void
  /** All of its text so far, and how many tokens this is. */
  readonly grow: (text: string, tokens: number) => void
  /** Resolves when the thread shows all of it. */
  readonly end: () => Promise<void>
}

/** Lets answers grow in all threads until the script ends; returns when each token was sent. */
export const play = async (
  script: Script,
  threads: ReadonlyArray<string>,
  open: (threadId: string, turn: number) => Omit<Answer, "threadId" | "turn">
): Promise<ReadonlyArray<SentAnswer>> => {
  const random = randomOf(script.seed)
  const growing = new Set<(now: number) => void>()
  const ticker = setInterval(() => {
    const now = Date.now()
    for (const tick of growing) tick(now)
  }, 5)
  const inThread = async (threadId: string): Promise<ReadonlyArray<SentAnswer>> => {
    const answers: Array<SentAnswer> = []
    let from = 0
    for (let turn = 0; turn < script.turns; turn++) {
      // The threads start at different times, as people do.
      await sleep(random() * (script.turns === 1 ? 1000 : 3000))
      const lasting = script.seconds * 1000 * (script.turns === 1 ? 1 : 0.5 + random() / 2)
      const answer = open(threadId, turn)
      const times: Array<number> = []
      // A long first word, so that pages end at any time of a window of limits.
      let text = "0".repeat(random() * longestWord)
      answer.begin()
      await new Promise<void>((resolve) => {
        const began = Date.now()
        const tick = (now: number) => {
          let grown = false
          for (
            ;
            began + times.length * script.tokenMs <= now && times.length * script.tokenMs < lasting;
            grown = true
          ) {
            text += `${(from + times.length).toString(36)} `
            times.push(now)
          }
          if (grown) answer.grow(text, times.length)
          if (times.length * script.tokenMs < lasting) return
          growing.delete(tick)
          resolve()
        }
        growing.add(tick)
      })
      answers.push({ threadId, from, times })
      from += times.length
      if (script.cut !== true) await answer.end()
    }
    return answers
  }
  try {
    return (await Promise.all(threads.slice(0, script.threads).map(inThread))).flat()
  } finally {
    clearInterval(ticker)
  }
}

const longestWord = 600

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Numbers from 0 to 1, the same for the same seed. */
const randomOf = (seed: number) => {
  let state = seed * 2654435761
  return (): number => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32
  }
}
