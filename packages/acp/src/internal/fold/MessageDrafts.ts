import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Entry, Message } from "../../SessionModel.ts"

/** Messages that are being appended to. Text comes in thousands of pieces; an entry is made of them when it is read. */
export class MessageDrafts {
  readonly #drafts = new Map<number, Draft>()

  /** Appends to the message at a position of the entries. */
  append(position: number, message: Message, block: Wire.ContentBlock): void {
    let draft = this.#drafts.get(position)
    if (draft === undefined) {
      draft = { text: message.text, content: [...message.content] }
      this.#drafts.set(position, draft)
    }
    draft.text += textOf(block)
    appendBlock(draft.content, block)
  }

  /** Writes all drafts into the entries. */
  flush(entries: Array<Entry>): void {
    for (const [position, draft] of this.#drafts) {
      const entry = entries[position]
      if (entry?._tag === "Message") entries[position] = { ...entry, ...draft }
    }
    this.#drafts.clear()
  }
}

/** The text of a content block; empty for other content. */
export const textOf = (block: Wire.ContentBlock): string => (block.type === "text" ? block.text : "")

/** Appends a block; adjacent texts are joined, unless the later one has a `_meta` of its own. */
export const appendBlock = (content: Array<Wire.ContentBlock>, block: Wire.ContentBlock): Array<Wire.ContentBlock> => {
  const last = content.at(-1)
  if (block.type === "text" && last?.type === "text" && (block._meta ?? undefined) === undefined) {
    content[content.length - 1] = { ...last, text: last.text + block.text }
  } else content.push(block)
  return content
}

interface Draft {
  text: string
  readonly content: Array<Wire.ContentBlock>
}
