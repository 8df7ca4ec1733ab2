import type { Context } from "../context/Context.ts"
import { guildCreate, guildOutage } from "./Dispatches.ts"
import type { Sessions } from "./Sessions.ts"

/** The outages of the guild that a test has started. */
export class GuildOutage {
  readonly #context: Context
  readonly #sessions: Sessions
  #activeCount = 0

  constructor(context: Context, sessions: Sessions) {
    this.#context = context
    this.#sessions = sessions
  }

  get isActive(): boolean {
    return this.#activeCount > 0
  }

  /** Makes the guild unavailable until the returned function is called. */
  start(): () => void {
    this.#activeCount++
    if (this.#activeCount === 1) this.#sessions.publish([guildOutage(this.#context)])
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#activeCount--
      if (!this.isActive) this.#sessions.publishEach((session) => guildCreate(this.#context, session.record))
    }
  }
}
