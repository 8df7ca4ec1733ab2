import type { PermissionRequest } from "./Permission.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"
import type { Update } from "./schema/Update.ts"
import type { Entry, Message, Notice, Role, SessionState, ToolCall } from "./SessionState.ts"

/**
 * A session state under construction: cheap to change for each update, copied only when it is looked at.
 *
 * Each change names what it touched: the key of an entry, or a field of the state.
 */
export interface SessionFold {
  readonly apply: (update: Update) => string | undefined
  /** Adds the prompt of this client, which agents do not send back while it runs; an echo replaces it. */
  readonly prompt: (content: ReadonlyArray<Wire.ContentBlock>) => string
  /** Takes a prompt back that did not reach the agent. */
  readonly remove: (key: string) => void
  /** Marks every unfinished tool call as cancelled. */
  readonly cancelUnfinished: () => ReadonlyArray<string>
  readonly set: (fields: Partial<Omit<SessionState, "entries">>) => void
  readonly state: () => SessionState
}

/** Starts from a state. */
export const make = (initial: SessionState): SessionFold => {
  const entries: Array<Entry> = [...initial.entries]
  const places = new Map<string, number>(entries.map((entry, place) => [entry.key, place]))
  /** What was last said under each id. */
  const newest = new Map<string, number>(entries.map((entry, place) => [idOf(entry), place]))
  /** The newest prompt: what came before it is finished, so an id that comes again after it names something else. */
  let prompted = entries.findLastIndex(isPrompt)
  const counts = { user: 0, agent: 0, thought: 0, notice: 0 }
  for (const entry of entries) {
    // Not their number: of those that were replaced by a replay the others keep theirs.
    const [, number] = /#(\d+)$/.exec(entry.key) ?? []
    if (entry._tag === "ToolCall" || number === undefined) continue
    const name = entry._tag === "Notice" ? "notice" : entry.messageId === undefined ? entry.role : undefined
    if (name !== undefined) counts[name] = Math.max(counts[name], Number(number))
  }
  let rest: Omit<SessionState, "entries"> = initial
  let snapshot: SessionState | undefined
  let unechoed: string | undefined

  const put = (entry: Entry): string => {
    const place = places.get(entry.key)
    if (place === undefined) {
      places.set(entry.key, entries.length)
      newest.set(idOf(entry), entries.length)
      if (isPrompt(entry)) prompted = entries.length
      entries.push(entry)
    } else entries[place] = entry
    snapshot = undefined
    return entry.key
  }

  const set = (fields: Partial<Omit<SessionState, "entries">>) => {
    rest = { ...rest, ...fields }
    snapshot = undefined
  }

  const find = (key: string): Entry | undefined => {
    const place = places.get(key)
    return place === undefined ? undefined : entries[place]
  }

  // Text comes in thousands of pieces: they are collected here, and an entry is made of them once somebody looks.
  const drafts = new Map<number, Draft>()

  const append = (place: number, message: Message, block: Wire.ContentBlock): string => {
    let draft = drafts.get(place)
    if (draft === undefined) drafts.set(place, (draft = { text: message.text, content: [...message.content] }))
    draft.text += textOf(block)
    addBlock(draft.content, block)
    snapshot = undefined
    return message.key
  }

  const finish = () => {
    for (const [place, draft] of drafts) {
      const entry = entries[place]
      if (entry?._tag === "Message") entries[place] = { ...entry, ...draft }
    }
    drafts.clear()
  }

  /** A key that nothing has yet. */
  const fresh = (id: string): string => {
    if (!places.has(id)) return id
    let count = 2
    while (places.has(`${id}@${count}`)) count++
    return `${id}@${count}`
  }

  const newMessage = (
    role: Role,
    messageId: string | undefined,
    content: ReadonlyArray<Wire.ContentBlock>,
    meta?: Wire.ContentChunk["_meta"]
  ): Message => ({
    _tag: "Message",
    key: messageId === undefined ? `${role}#${++counts[role]}` : fresh(`${role}:${messageId}`),
    role,
    ...(messageId === undefined ? {} : { messageId }),
    text: content.map(textOf).join(""),
    content: content.reduce<Array<Wire.ContentBlock>>(addBlock, []),
    ...defined({ meta })
  })

  const chunk = (role: Role, { _meta, content: block, messageId: id }: Wire.ContentChunk): string | undefined => {
    // Some agents send empty texts only to carry usage along.
    if (block.type === "text" && block.text === "") return undefined
    const messageId = id ?? undefined
    if (role === "user" && unechoed !== undefined) {
      finish()
      const echo = find(unechoed)
      if (echo?._tag === "Message" && echo.text.startsWith(textOf(block))) {
        unechoed = undefined
        if (messageId !== undefined) newest.set(`user:${messageId}`, places.get(echo.key) ?? 0)
        return put({ ...echo, text: textOf(block), content: [block] })
      }
    }
    const place = messageId === undefined ? entries.length - 1 : newest.get(`${role}:${messageId}`)
    const open = place === undefined ? undefined : entries[place]
    // Words of a person go on only where nothing was said to them yet.
    const goesOn = place !== undefined && (role === "user" ? place === entries.length - 1 : place > prompted)
    if (goesOn && open?._tag === "Message" && open.role === role) return append(place, open, block)
    return put(newMessage(role, messageId, [block], _meta))
  }

  const toolCall = (update: Wire.ToolCallUpdate): string => {
    const id = `tool:${update.toolCallId}`
    const place = newest.get(id)
    const before = place === undefined ? undefined : entries[place]
    // What has a title after another prompt begins; only what tells how a call goes on may be about an older one.
    const goesOn = place !== undefined && (place > prompted || typeof update.title !== "string")
    const known = goesOn && before?._tag === "ToolCall" ? before : newToolCall(fresh(id), update.toolCallId)
    return put(mergeToolCall(known, update))
  }

  const notice = (update: Wire.Notice): string =>
    put({
      _tag: "Notice",
      key: `notice#${++counts.notice}`,
      severity: update.severity,
      title: update.title,
      ...defined({ description: update.description })
    } satisfies Notice)

  const apply = (update: Update): string | undefined => {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return chunk("user", update)
      case "agent_message_chunk":
        return chunk("agent", update)
      case "agent_thought_chunk":
        return chunk("thought", update)
      case "tool_call":
      case "tool_call_update":
        return toolCall(update)
      case "notice":
        return notice(update)
      case "plan":
        set({ plan: update.entries })
        return "plan"
      case "available_commands_update":
        set({ commands: update.availableCommands })
        return "commands"
      case "current_mode_update":
        set({ mode: update.currentModeId })
        return "mode"
      case "config_option_update":
        set({ configOptions: update.configOptions })
        return "configOptions"
      case "session_info_update":
        rest = withInfo(rest, update)
        snapshot = undefined
        return "title"
      case "usage_update":
        set({ usage: { used: update.used, size: update.size, ...defined({ cost: update.cost }) } })
        return "usage"
      // A compaction changes what the model remembers, not what was said.
      case "compaction_update":
      case "compaction_summary_chunk":
      case "unknown":
        return undefined
    }
  }

  return {
    apply,
    set,
    prompt: (content) => (unechoed = put(newMessage("user", undefined, content))),
    remove: (key) => {
      if (unechoed === key) unechoed = undefined
      const place = places.get(key)
      if (place === undefined) return
      finish()
      entries.splice(place, 1)
      for (const named of [places, newest]) {
        for (const [name, other] of named) {
          if (other === place) named.delete(name)
          else if (other > place) named.set(name, other - 1)
        }
      }
      if (key === `user#${counts.user}`) counts.user--
      prompted = entries.findLastIndex(isPrompt)
      snapshot = undefined
    },
    cancelUnfinished: () =>
      entries.flatMap((entry) =>
        entry._tag === "ToolCall" && isUnfinished(entry.status) ? [put({ ...entry, status: "cancelled" })] : []
      ),
    state: () => {
      finish()
      return (snapshot ??= { ...rest, entries: [...entries] })
    }
  }
}

/** What an entry is called on the wire, and with it later ones under the same id. */
const idOf = (entry: Entry): string => {
  if (entry._tag === "ToolCall") return `tool:${entry.toolCallId}`
  return entry._tag === "Message" && entry.messageId !== undefined ? `${entry.role}:${entry.messageId}` : entry.key
}

const isPrompt = (entry: Entry): boolean => entry._tag === "Message" && entry.role === "user"

const isUnfinished = (status: Wire.ToolCallStatus): boolean => status === "pending" || status === "in_progress"

/** What a permission request says about its tool call; undefined when it is about none. */
export const permissionUpdate = ({ toolCall }: PermissionRequest): Update | undefined =>
  toolCall === undefined ? undefined : { ...toolCall, sessionUpdate: "tool_call_update" }

const textOf = (block: Wire.ContentBlock): string => (block.type === "text" ? block.text : "")

const addBlock = (content: Array<Wire.ContentBlock>, block: Wire.ContentBlock): Array<Wire.ContentBlock> => {
  const last = content.at(-1)
  if (block.type === "text" && last?.type === "text")
    content[content.length - 1] = { ...last, text: last.text + block.text }
  else content.push(block)
  return content
}

interface Draft {
  text: string
  readonly content: Array<Wire.ContentBlock>
}

const newToolCall = (key: string, toolCallId: string): ToolCall => ({
  _tag: "ToolCall",
  key,
  toolCallId,
  title: "",
  kind: "other",
  status: "pending",
  content: [],
  locations: []
})

// An absent or null field leaves what was known; lists replace.
const mergeToolCall = (known: ToolCall, update: Wire.ToolCallUpdate): ToolCall => ({
  ...known,
  ...defined({
    title: update.title,
    name: update.name,
    kind: update.kind,
    status: update.status,
    content: update.content,
    locations: update.locations,
    rawInput: update.rawInput,
    rawOutput: update.rawOutput,
    meta: update._meta === undefined || update._meta === null ? undefined : { ...known.meta, ...update._meta }
  })
})

// Here null clears.
const withInfo = (
  { title, updatedAt, ...rest }: Omit<SessionState, "entries">,
  update: Wire.SessionInfoUpdate
): Omit<SessionState, "entries"> => ({
  ...rest,
  ...defined({
    title: update.title === undefined ? title : update.title,
    updatedAt: update.updatedAt === undefined ? updatedAt : update.updatedAt
  })
})

type Defined<A> = { readonly [K in keyof A]?: Exclude<A[K], null | undefined> }

const defined = <A extends object>(fields: A): Defined<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as Defined<A>
