import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Message, Notice, Role } from "../../SessionModel.ts"
import { defined } from "./Defined.ts"
import type { EntryList } from "./EntryList.ts"
import { KeyCounter } from "./KeyCounter.ts"
import { appendBlock, textOf } from "./MessageDrafts.ts"

/** Folds pieces of messages into entries: pieces of one message, whatever their sizes, become one entry. */
export class MessageFold {
  readonly #entries: EntryList
  readonly #keys: KeyCounter
  /** The prompt of this client that the agent has not echoed. */
  #unechoed: string | undefined

  constructor(entries: EntryList) {
    this.#entries = entries
    this.#keys = new KeyCounter(entries.toArray())
  }

  /** Applies a piece of a message; returns the key of its entry. */
  chunk(role: Role, { _meta, content: block, messageId: id }: Wire.ContentChunk): string | undefined {
    // Some agents send empty texts only to carry usage along.
    if (block.type === "text" && block.text === "") return undefined
    const messageId = id ?? undefined
    if (role === "user" && this.#unechoed !== undefined) {
      const key = this.#echo(this.#unechoed, messageId, block)
      if (key !== undefined) return key
    }
    const entries = this.#entries
    const position = messageId === undefined ? entries.size - 1 : entries.positions.ofId(`${role}:${messageId}`)
    const open = entries.at(position)
    // A user message continues only where nothing answered it yet.
    const continues =
      position !== undefined && (role === "user" ? position === entries.size - 1 : position > entries.lastPrompt)
    // Some agents name a message only at its beginning, but a message of the service is never one of theirs.
    const isOther = messageId === undefined && open?._tag === "Message" && open.meta?.["heddle/notice"] === true
    if (continues && !isOther && open?._tag === "Message" && open.role === role)
      return entries.append(position, open, block)
    return entries.put(this.#newMessage(role, messageId, [block], _meta))
  }

  /** Adds a prompt of this client. */
  prompt(content: ReadonlyArray<Wire.ContentBlock>): string {
    return (this.#unechoed = this.#entries.put(this.#newMessage("user", undefined, content)))
  }

  notice(update: Wire.Notice): string {
    return this.#entries.put({
      _tag: "Notice",
      key: this.#keys.next("notice"),
      severity: update.severity,
      title: update.title,
      ...defined({ description: update.description })
    } satisfies Notice)
  }

  /** Shows a compaction in its place of the conversation, with its newest status. */
  compaction({ compactionId, error, status }: Wire.CompactionUpdate): string {
    return this.#entries.put({
      _tag: "Notice",
      key: `compaction:${compactionId}`,
      severity: status === "failed" ? "warning" : "info",
      title: compactionTitles.get(status) ?? `The agent is summarising the earlier conversation (${status})`,
      ...defined({ description: error })
    } satisfies Notice)
  }

  /** Removes a prompt of this client; its key is given again if no later one was given. */
  remove(key: string): void {
    if (this.#unechoed === key) this.#unechoed = undefined
    if (this.#entries.remove(key)) this.#keys.release(key)
  }

  /** Replaces the prompt by its echo, if the block is one. */
  #echo(prompt: string, messageId: string | undefined, block: Wire.ContentBlock): string | undefined {
    const entries = this.#entries
    entries.flush()
    const position = entries.positions.ofKey(prompt)
    const echoed = entries.at(position)
    if (position === undefined || echoed?._tag !== "Message" || !echoed.text.startsWith(textOf(block))) return undefined
    this.#unechoed = undefined
    if (messageId !== undefined) entries.positions.setId(`user:${messageId}`, position)
    return entries.put({ ...echoed, text: textOf(block), content: [block] })
  }

  #newMessage(
    role: Role,
    messageId: string | undefined,
    content: ReadonlyArray<Wire.ContentBlock>,
    meta?: Wire.ContentChunk["_meta"]
  ): Message {
    return {
      _tag: "Message",
      key: messageId === undefined ? this.#keys.next(role) : this.#entries.positions.freeKey(`${role}:${messageId}`),
      role,
      ...(messageId === undefined ? {} : { messageId }),
      text: content.map(textOf).join(""),
      content: content.reduce<Array<Wire.ContentBlock>>(appendBlock, []),
      ...defined({ meta })
    }
  }
}

const compactionTitles: ReadonlyMap<string, string> = new Map([
  ["in_progress", "The agent is summarising the earlier conversation to make room"],
  ["completed", "The agent summarised the earlier conversation to make room"],
  ["failed", "The agent could not summarise the earlier conversation"],
  ["cancelled", "The agent stopped summarising the earlier conversation"]
])
