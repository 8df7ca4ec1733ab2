import type { Entry, Role } from "../../SessionModel.ts"

/** Gives keys to entries for which the agent has no id: a name and a number. */
export class KeyCounter {
  readonly #counts = { user: 0, agent: 0, thought: 0, notice: 0 }

  /** Goes on after the highest number of each name: after a replay some entries keep theirs. */
  constructor(entries: ReadonlyArray<Entry>) {
    for (const entry of entries) {
      const [, number] = /#(\d+)$/.exec(entry.key) ?? []
      if (entry._tag === "ToolCall" || number === undefined) continue
      const name = entry._tag === "Notice" ? "notice" : entry.messageId === undefined ? entry.role : undefined
      if (name !== undefined) this.#counts[name] = Math.max(this.#counts[name], Number(number))
    }
  }

  next(name: Role | "notice"): string {
    return `${name}#${++this.#counts[name]}`
  }

  /** Gives the key of a removed prompt again, if no later one was given. */
  release(key: string): void {
    if (key === `user#${this.#counts.user}`) this.#counts.user--
  }
}
