import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Message, Notice, Role } from "../../SessionModel.ts"
import { defined } from "./Defined.ts"
import { appendBlock, type EntryList, textOf } from "./EntryList.ts"

/** Folds pieces of messages into entries: pieces of one message, whatever their sizes, become one entry. */
export class MessageFold {
  readonly #entries: EntryList
  /** How many keys without an id of the agent were given. */
  readonly #counts = { user: 0, agent: 0, thought: 0, notice: 0 }
  /** The prompt of this client that the agent has not echoed. */
  #unechoed: string | undefined

  constructor(entries: EntryList) {
    this.#entries = entries
    for (const entry of entries.toArray()) {
      // The highest number, not how many there are: after a replay some of the entries keep theirs.
      const [, number] = /#(\d+)$/.exec(entry.key) ?? []
      if (entry._tag === "ToolCall" || number === undefined) continue
      const name = entry._tag === "Notice" ? "notice" : entry.messageId === undefined ? entry.role : undefined
      if (name !== undefined) this.#counts[name] = Math.max(this.#counts[name], Number(number))
    }
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
    const position = messageId === undefined ? entries.size - 1 : entries.positionOfId(`${role}:${messageId}`)
    const open = entries.at(position)
    // A user message continues only where nothing answered it yet.
    const continues =
      position !== undefined && (role === "user" ? position === entries.size - 1 : position > entries.lastPrompt)
    if (continues && open?._tag === "Message" && open.role === role) return entries.append(position, open, block)
    return entries.put(this.#newMessage(role, messageId, [block], _meta))
  }

  /** Adds a prompt of this client. */
  prompt(content: ReadonlyArray<Wire.ContentBlock>): string {
    return (this.#unechoed = this.#entries.put(this.#newMessage("user", undefined, content)))
  }

  notice(update: Wire.Notice): string {
    return this.#entries.put({
      _tag: "Notice",
      key: `notice#${++this.#counts.notice}`,
      severity: update.severity,
      title: update.title,
      ...defined({ description: update.description })
    } satisfies Notice)
  }

  /** Removes a prompt of this client; its key is given again if no later one was given. */
  remove(key: string): void {
    if (this.#unechoed === key) this.#unechoed = undefined
    if (this.#entries.remove(key) && key === `user#${this.#counts.user}`) this.#counts.user--
  }

  /** Replaces the prompt by its echo, if the block is one. */
  #echo(prompt: string, messageId: string | undefined, block: Wire.ContentBlock): string | undefined {
    const entries = this.#entries
    entries.flush()
    const position = entries.positionOfKey(prompt)
    const echoed = entries.at(position)
    if (position === undefined || echoed?._tag !== "Message" || !echoed.text.startsWith(textOf(block))) return undefined
    this.#unechoed = undefined
    if (messageId !== undefined) entries.setId(`user:${messageId}`, position)
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
      key: messageId === undefined ? `${role}#${++this.#counts[role]}` : this.#entries.freeKey(`${role}:${messageId}`),
      role,
      ...(messageId === undefined ? {} : { messageId }),
      text: content.map(textOf).join(""),
      content: content.reduce<Array<Wire.ContentBlock>>(appendBlock, []),
      ...defined({ meta })
    }
  }
}
