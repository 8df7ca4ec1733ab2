/**
 * Runs the task at the end of this turn of the event loop, together with all others of the turn: nothing is read from a
 * socket between them.
 */
export const defer = (task: () => void): void => {
  if (tasks.push(task) === 1) setImmediate(run)
}

/** Asks at most once for all tasks of a turn; elsewhere every time. */
export const once = <A>(ask: () => A): (() => A) => {
  let askedIn: object | undefined
  let answer: A
  return () => {
    if (running === undefined) return ask()
    if (askedIn !== running) {
      answer = ask()
      askedIn = running
    }
    return answer
  }
}

let tasks: Array<() => void> = []
let running: object | undefined

const run = (): void => {
  const all = tasks
  tasks = []
  running = {}
  try {
    for (const task of all) task()
  } finally {
    running = undefined
  }
}
