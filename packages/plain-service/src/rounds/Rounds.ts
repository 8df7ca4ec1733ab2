import type { ContentBlock } from "../acp/Journal.ts"
import { keepNewest } from "../KeepNewest.ts"
import type { Readings } from "../Readings.ts"
import { makeRound, type RoundTask } from "./MakeRound.ts"
import { promptText } from "./PromptText.ts"
import type { RoundEnd, Script } from "./Round.ts"
import { type AbortReason, runScript } from "./RunScript.ts"

/** A prompt that really ran. */
export interface RoundRecord {
  readonly taskId: string
  readonly text: string
  readonly startedAt: number
  readonly end?: RoundEnd
}

/** What the rounds of all tasks share. */
export interface RoundContext {
  readonly readings: () => Readings
  readonly script: Script
  readonly rounds: Array<RoundRecord>
}

/** Runs the rounds of one task, one at a time (6). */
export class Rounds {
  readonly #context: RoundContext
  readonly #task: RoundTask
  #count = 0
  #running: AbortController | undefined

  constructor(context: RoundContext, task: RoundTask) {
    this.#context = context
    this.#task = task
  }

  get running(): boolean {
    return this.#running !== undefined
  }

  async run(blocks: ReadonlyArray<ContentBlock>): Promise<RoundEnd> {
    const { readings, rounds, script } = this.#context
    const running = new AbortController()
    const { signal } = running
    this.#running = running
    const record: RoundRecord & { end?: RoundEnd } = {
      taskId: this.#task.id,
      text: promptText(blocks),
      startedAt: Date.now()
    }
    rounds.push(record)
    keepNewest(rounds)
    this.#task.session.record({ kind: "prompt", blocks })
    const ended = (): boolean => record.end !== undefined || signal.reason === "restart"
    const round = makeRound(this.#task, blocks, this.#count++, signal, ended)
    record.end = await runScript(script, round, readings().cancelGraceMs)
    this.#running = undefined
    return record.end
  }

  abort(reason: AbortReason): void {
    this.#running?.abort(reason)
  }
}
