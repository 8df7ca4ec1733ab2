import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { ToolCall } from "../../SessionModel.ts"
import { defined } from "./Defined.ts"
import type { EntryList } from "./EntryList.ts"

/**
 * Applies a `tool_call` or `tool_call_update`: either may begin a call, or change an existing one. A call that ended
 * before the newest prompt does not begin again.
 */
export const apply = (entries: EntryList, update: Wire.ToolCallUpdate): string => {
  const id = `tool:${update.toolCallId}`
  const position = entries.positions.ofId(id)
  const before = entries.at(position)
  // After another prompt, an update with a title begins a new call; one without may be about an older call.
  const continues = position !== undefined && (position > entries.lastPrompt || typeof update.title !== "string")
  const existing =
    continues && before?._tag === "ToolCall" ? before : newToolCall(entries.positions.freeKey(id), update.toolCallId)
  const isEarlier = position !== undefined && position <= entries.lastPrompt
  const reopens = isEarlier && !isUnfinished(existing) && isUnfinished(update)
  return entries.put(merge(existing, reopens ? { ...update, status: existing.status } : update))
}

/** Marks the unfinished calls after the newest prompt as cancelled; returns their keys. */
export const cancelUnfinished = (entries: EntryList): ReadonlyArray<string> =>
  entries
    .toArray()
    .slice(entries.lastPrompt + 1)
    .flatMap((entry) =>
      entry._tag === "ToolCall" && isUnfinished(entry) ? [entries.put({ ...entry, status: "cancelled" })] : []
    )

const isUnfinished = ({ status }: Pick<Wire.ToolCallUpdate, "status">): boolean =>
  status === "pending" || status === "in_progress"

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

// An absent or null field keeps the existing value; lists are replaced.
const merge = (existing: ToolCall, update: Wire.ToolCallUpdate): ToolCall => ({
  ...existing,
  ...defined({
    title: update.title,
    name: update.name,
    kind: update.kind,
    status: update.status,
    content: update.content,
    locations: update.locations,
    rawInput: update.rawInput,
    rawOutput: update.rawOutput,
    terminalOutput: appendOutput(existing.terminalOutput, update._meta),
    meta: update._meta === undefined || update._meta === null ? undefined : { ...existing.meta, ...update._meta }
  })
})

/** Some agents have the output of a command nowhere else. */
const appendOutput = (before = "", meta: Wire.ToolCallUpdate["_meta"]): string | undefined => {
  const delta = meta?.["terminal_output_delta"]
  if (typeof delta !== "object" || delta === null || !("data" in delta) || typeof delta.data !== "string")
    return undefined
  const output = before + delta.data
  // To cut at every piece would copy the whole each time.
  return output.length <= 2 * maxOutput ? output : output.slice(-maxOutput)
}

const maxOutput = 1_000_000
