import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Entry, Message } from "../../SessionModel.ts"

/** Messages that are being appended to. Text comes in thousands of pieces; an entry is made of them when it is read. */
export class MessageDrafts {
  #drafts: Map<number, Draft> | undefined

  /** Appends to the message at a position of the entries. */
  append(position: number, { content, text }: Message, block: Wire.ContentBlock): void {
    const drafts = (this.#drafts ??= new Map())
    let draft = drafts.get(position)
    if (draft === undefined) {
      draft = { text, content: [...content], pieces: [], length: 0 }
      drafts.set(position, draft)
    }
    if (continues(draft.content.at(-1), block)) {
      draft.pieces.push(block.text)
      draft.length += block.text.length
      if (draft.length > maxPieces) settle(draft)
    } else {
      settle(draft)
      draft.text += textOf(block)
      draft.content.push(block)
    }
  }

  /** Writes all drafts into the entries. */
  flush(entries: Array<Entry>): void {
    if (this.#drafts === undefined) return
    for (const [position, draft] of this.#drafts) {
      settle(draft)
      const entry = entries[position]
      const { content, text } = draft
      if (entry?._tag === "Message") entries[position] = { ...entry, text, content }
    }
    this.#drafts = undefined
  }
}

/** Joins the pieces to the last text. */
const settle = (draft: Draft): void => {
  const { content, pieces, text } = draft
  const last = content.at(-1)
  if (pieces.length === 0 || last?.type !== "text") return
  const added = pieces.join("")
  draft.text = text + added
  // Mostly it is the only one: then both are one string.
  const isAll = content.length === 1 && last.text.length === text.length
  content[content.length - 1] = { ...last, text: isAll ? draft.text : last.text + added }
  draft.pieces = []
  draft.length = 0
}

/** The text of a content block; empty for other content. */
export const textOf = (block: Wire.ContentBlock): string => (block.type === "text" ? block.text : "")

/** Appends a block; adjacent texts are joined, unless the later one has a `_meta` of its own. */
export const appendBlock = (content: Array<Wire.ContentBlock>, block: Wire.ContentBlock): Array<Wire.ContentBlock> => {
  const last = content.at(-1)
  if (continues(last, block) && last?.type === "text")
    content[content.length - 1] = { ...last, text: last.text + block.text }
  else content.push(block)
  return content
}

const continues = (last: Wire.ContentBlock | undefined, block: Wire.ContentBlock): block is Text =>
  block.type === "text" && last?.type === "text" && (block._meta ?? undefined) === undefined

type Text = Extract<Wire.ContentBlock, { readonly type: "text" }>

interface Draft {
  text: string
  readonly content: Array<Wire.ContentBlock>
  /** What comes after the last text of the content, and how many characters that is. */
  pieces: Array<string>
  length: number
}

// What is joined early leaves no pieces for the collector to carry along.
const maxPieces = 100_000
