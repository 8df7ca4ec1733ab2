import type { Entry } from "../../SessionModel.ts"

/** Where entries are, by key and by the id that the agent uses. */
export class EntryPositions {
  readonly #byKey = new Map<string, number>()
  /** Of the newest entry with an id. */
  readonly #byId = new Map<string, number>()

  constructor(entries: ReadonlyArray<Entry>) {
    for (const [position, entry] of entries.entries()) this.add(entry, position)
  }

  ofKey(key: string): number | undefined {
    return this.#byKey.get(key)
  }

  ofId(id: string): number | undefined {
    return this.#byId.get(id)
  }

  add(entry: Entry, position: number): void {
    this.#byKey.set(entry.key, position)
    this.#byId.set(idOf(entry), position)
  }

  /** Lets an id name an entry that exists. */
  setId(id: string, position: number): void {
    this.#byId.set(id, position)
  }

  /** Removes a position: what comes after it moves up. */
  remove(position: number): void {
    for (const positions of [this.#byKey, this.#byId]) {
      for (const [name, other] of positions) {
        if (other === position) positions.delete(name)
        else if (other > position) positions.set(name, other - 1)
      }
    }
  }

  /** A key like this one that no entry has. */
  freeKey(key: string): string {
    if (!this.#byKey.has(key)) return key
    let count = 2
    while (this.#byKey.has(`${key}@${count}`)) count++
    return `${key}@${count}`
  }
}

/** The id of an entry on the wire; a later entry may have the same. */
const idOf = (entry: Entry): string => {
  if (entry._tag === "ToolCall") return `tool:${entry.toolCallId}`
  return entry._tag === "Message" && entry.messageId !== undefined ? `${entry.role}:${entry.messageId}` : entry.key
}
