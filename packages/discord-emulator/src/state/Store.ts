import { type Clock, systemClock } from "../settings/Clock.ts"
import type { Change } from "../model/Records.ts"
import { applyChange, type Replaced } from "./ApplyChange.ts"
import { Tables } from "./Tables.ts"

/** A committed change, with the record that it replaced or removed. */
export interface Committed {
  readonly change: Change
  readonly before?: Replaced
}

/** The state of the emulator. Only `commit` changes it: it writes the log first, then calls the listeners in order. */
export class Store extends Tables {
  readonly #listeners = new Set<(committed: Committed) => void>()
  readonly #append: (change: Change) => void
  #lastCommitted: Committed | undefined

  constructor(history: Iterable<Change>, append: (change: Change) => void, clock: Clock = systemClock) {
    super(clock)
    for (const change of history) this.#apply(change)
    this.#append = append
  }

  /** The last change, which may be from an earlier run. */
  get lastCommitted(): Committed | undefined {
    return this.#lastCommitted
  }

  commit(change: Change): void {
    this.#append(change)
    const committed = this.#apply(change)
    for (const listener of this.#listeners) listener(committed)
  }

  /** Calls the listener on every commit until the returned function is called. */
  listen(listener: (committed: Committed) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The fewest changes that rebuild this state. */
  *snapshot(): Iterable<Change> {
    yield { kind: "realm", value: this.guild }
    for (const value of this.roles.values()) yield { kind: "role", value }
    for (const value of this.users.values()) {
      yield { kind: "user", value }
      const member = this.members.get(value.id)
      yield member === undefined ? { kind: "member_gone", id: value.id } : { kind: "member", value: member }
    }
    for (const value of this.webhooks.values()) yield { kind: "webhook", value }
    for (const value of this.channels.values()) {
      const { deleted } = this.messages.counts(value.id)
      yield { kind: "channel", value: deleted === 0 ? value : { ...value, deletedMessages: deleted } }
    }
    for (const [guildId, value] of this.commandSets) yield { kind: "commands", guildId, value }
    for (const value of this.messages.all()) yield { kind: "message", value }
    for (const value of this.interactions.values()) yield { kind: "interaction", value }
  }

  #apply(change: Change): Committed {
    const before = applyChange(this, change)
    this.#lastCommitted = before === undefined ? { change } : { change, before }
    return this.#lastCommitted
  }
}
