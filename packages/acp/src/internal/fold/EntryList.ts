import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Entry, Message } from "../../SessionModel.ts"
import { EntryPositions } from "./EntryPositions.ts"
import { MessageDrafts } from "./MessageDrafts.ts"

/** The entries of a session in their order. */
export class EntryList {
  readonly #entries: Array<Entry>
  readonly #drafts = new MessageDrafts()
  #lastPrompt: number
  readonly positions: EntryPositions

  constructor(initial: ReadonlyArray<Entry>) {
    this.#entries = [...initial]
    this.#lastPrompt = this.#entries.findLastIndex(isPrompt)
    this.positions = new EntryPositions(initial)
  }

  get size(): number {
    return this.#entries.length
  }

  /** The position of the newest prompt: an id that comes again after it names something else. */
  get lastPrompt(): number {
    return this.#lastPrompt
  }

  /** The entry at a position, without what was appended since the last flush. */
  at(position: number | undefined): Entry | undefined {
    return position === undefined ? undefined : this.#entries[position]
  }

  /** Adds an entry, or replaces the one with its key; returns the key. */
  put(entry: Entry): string {
    const position = this.positions.ofKey(entry.key)
    if (position === undefined) {
      this.positions.add(entry, this.#entries.length)
      if (isPrompt(entry)) this.#lastPrompt = this.#entries.length
      this.#entries.push(entry)
    } else this.#entries[position] = entry
    return entry.key
  }

  /** Appends to the message at a position. */
  append(position: number, message: Message, block: Wire.ContentBlock): string {
    this.#drafts.append(position, message, block)
    return message.key
  }

  /** Writes what was appended into the entries. */
  flush(): void {
    this.#drafts.flush(this.#entries)
  }

  /** False when there is no entry with this key. */
  remove(key: string): boolean {
    const position = this.positions.ofKey(key)
    if (position === undefined) return false
    this.flush()
    this.#entries.splice(position, 1)
    this.positions.remove(position)
    this.#lastPrompt = this.#entries.findLastIndex(isPrompt)
    return true
  }

  toArray(): ReadonlyArray<Entry> {
    this.flush()
    return [...this.#entries]
  }
}

const isPrompt = (entry: Entry): boolean => entry._tag === "Message" && entry.role === "user"
