/** A program of the benchmark in a process of its own; `Run` is what it takes as one run. */
export interface Program<Ready, Run = unknown> {
  readonly ready: Ready
  /** CPU time so far, in microseconds. */
  readonly cpu: () => Promise<number>
  readonly run: (run: Run) => Promise<unknown>
  readonly stop: () => Promise<void>
}

/** What the benchmark command gives a benchmark that measures by itself. */
export interface Tools {
  readonly start: <Ready, Run>(program: ReadonlyArray<string>, name: string) => Promise<Program<Ready, Run>>
  readonly smoke: boolean
  readonly log: (line: string) => void
}
