import type { Context } from "../context/Context.ts"
import { guildCreate, guildOutage } from "./Dispatches.ts"
import type { Sessions } from "./Sessions.ts"

/** The outages of the guild that a test has started. */
export class GuildOutage {
  readonly #context: Context
  readonly #sessions: Sessions
  #active = 0

  constructor(context: Context, sessions: Sessions) {
    this.#context = context
    this.#sessions = sessions
  }

  get isActive(): boolean {
    return this.#active > 0
  }

  /** Makes the guild unavailable until the returned function is called. */
  start(): () => void {
    this.#active++
    if (this.#active === 1) this.#sessions.publish([guildOutage(this.#context)])
    let ended = false
    return () => {
      if (ended) return
      ended = true
      this.#active--
      if (!this.isActive) this.#sessions.publishEach((session) => guildCreate(this.#context, session.record))
    }
  }
}
