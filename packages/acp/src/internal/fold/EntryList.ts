import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Entry, Message } from "../../SessionModel.ts"

/**
 * The entries of a session in their order, found by key or by the id that the agent uses.
 *
 * Text comes in thousands of pieces: pieces are collected in drafts, and an entry is made of a draft when it is read.
 */
export class EntryList {
  readonly #entries: Array<Entry>
  readonly #positionOfKey: Map<string, number>
  /** The newest entry of each id. */
  readonly #positionOfId: Map<string, number>
  readonly #drafts = new Map<number, Draft>()
  #lastPrompt: number

  constructor(initial: ReadonlyArray<Entry>) {
    this.#entries = [...initial]
    this.#positionOfKey = new Map(initial.map((entry, position) => [entry.key, position]))
    this.#positionOfId = new Map(initial.map((entry, position) => [idOf(entry), position]))
    this.#lastPrompt = this.#entries.findLastIndex(isPrompt)
  }

  /** The position of the newest prompt: an id that comes again after it names something else. */
  get lastPrompt(): number {
    return this.#lastPrompt
  }

  get size(): number {
    return this.#entries.length
  }

  /** The entry at a position; the text of a draft may not be in it yet. */
  at(position: number | undefined): Entry | undefined {
    return position === undefined ? undefined : this.#entries[position]
  }

  positionOfKey(key: string): number | undefined {
    return this.#positionOfKey.get(key)
  }

  positionOfId(id: string): number | undefined {
    return this.#positionOfId.get(id)
  }

  /** Adds an entry, or replaces the one with its key; returns the key. */
  put(entry: Entry): string {
    const position = this.#positionOfKey.get(entry.key)
    if (position === undefined) {
      this.#positionOfKey.set(entry.key, this.#entries.length)
      this.#positionOfId.set(idOf(entry), this.#entries.length)
      if (isPrompt(entry)) this.#lastPrompt = this.#entries.length
      this.#entries.push(entry)
    } else this.#entries[position] = entry
    return entry.key
  }

  /** Lets an id name an entry that exists. */
  setId(id: string, position: number): void {
    this.#positionOfId.set(id, position)
  }

  /** Appends to the message at a position. */
  append(position: number, message: Message, block: Wire.ContentBlock): string {
    let draft = this.#drafts.get(position)
    if (draft === undefined) {
      draft = { text: message.text, content: [...message.content] }
      this.#drafts.set(position, draft)
    }
    draft.text += textOf(block)
    appendBlock(draft.content, block)
    return message.key
  }

  /** Makes entries of all drafts. */
  flush(): void {
    for (const [position, draft] of this.#drafts) {
      const entry = this.#entries[position]
      if (entry?._tag === "Message") this.#entries[position] = { ...entry, ...draft }
    }
    this.#drafts.clear()
  }

  remove(key: string): boolean {
    const position = this.#positionOfKey.get(key)
    if (position === undefined) return false
    this.flush()
    this.#entries.splice(position, 1)
    for (const positions of [this.#positionOfKey, this.#positionOfId]) {
      for (const [name, other] of positions) {
        if (other === position) positions.delete(name)
        else if (other > position) positions.set(name, other - 1)
      }
    }
    this.#lastPrompt = this.#entries.findLastIndex(isPrompt)
    return true
  }

  /** A key that no entry has, like this one. */
  freeKey(key: string): string {
    if (!this.#positionOfKey.has(key)) return key
    let count = 2
    while (this.#positionOfKey.has(`${key}@${count}`)) count++
    return `${key}@${count}`
  }

  toArray(): ReadonlyArray<Entry> {
    this.flush()
    return [...this.#entries]
  }
}

/** The text of a content block; empty for other content. */
export const textOf = (block: Wire.ContentBlock): string => (block.type === "text" ? block.text : "")

/** Appends a block; adjacent texts are joined. */
export const appendBlock = (content: Array<Wire.ContentBlock>, block: Wire.ContentBlock): Array<Wire.ContentBlock> => {
  const last = content.at(-1)
  if (block.type === "text" && last?.type === "text") {
    content[content.length - 1] = { ...last, text: last.text + block.text }
  } else content.push(block)
  return content
}

/** The id of an entry on the wire; a later entry may have the same. */
const idOf = (entry: Entry): string => {
  if (entry._tag === "ToolCall") return `tool:${entry.toolCallId}`
  return entry._tag === "Message" && entry.messageId !== undefined ? `${entry.role}:${entry.messageId}` : entry.key
}

const isPrompt = (entry: Entry): boolean => entry._tag === "Message" && entry.role === "user"

interface Draft {
  text: string
  readonly content: Array<Wire.ContentBlock>
}
