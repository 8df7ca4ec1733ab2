import { defined } from "./internal/fold/Defined.ts"
import { EntryList } from "./internal/fold/EntryList.ts"
import { MessageFold } from "./internal/fold/MessageFold.ts"
import * as ToolCallFold from "./internal/fold/ToolCallFold.ts"
import type { PermissionRequest } from "./Permission.ts"
import type * as Wire from "./schema/generated/AcpSchema.ts"
import type { Update } from "./schema/Update.ts"
import type { SessionState } from "./SessionModel.ts"

/**
 * A session state under construction: cheap to change for each update, copied only when it is read.
 *
 * Each change returns what it touched: the key of an entry, or a field of the state.
 */
export interface SessionFold {
  readonly apply: (update: Update) => string | undefined
  /** Adds the prompt of this client, which agents do not echo while it runs; an echo replaces it. */
  readonly prompt: (content: ReadonlyArray<Wire.ContentBlock>) => string
  /** Removes a prompt that did not reach the agent. */
  readonly remove: (key: string) => void
  /** Marks the unfinished tool calls after the newest prompt as cancelled. */
  readonly cancelUnfinished: () => ReadonlyArray<string>
  readonly set: (fields: Partial<Omit<SessionState, "entries">>) => void
  readonly state: () => SessionState
}

/** Starts from a state. */
export const make = (initial: SessionState): SessionFold => {
  const entries = new EntryList(initial.entries)
  const messages = new MessageFold(entries)
  let fields: Omit<SessionState, "entries"> = initial
  let snapshot: SessionState | undefined

  const set = (changed: Partial<Omit<SessionState, "entries">>, name: string): string => {
    fields = { ...fields, ...changed }
    return name
  }

  const fold = (update: Update): string | undefined => {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return messages.chunk("user", update)
      case "agent_message_chunk":
        return messages.chunk("agent", update)
      case "agent_thought_chunk":
        return messages.chunk("thought", update)
      case "tool_call":
      case "tool_call_update":
        return ToolCallFold.apply(entries, update)
      case "notice":
        return messages.notice(update)
      case "plan":
        return set({ plan: update.entries }, "plan")
      case "available_commands_update":
        return set({ commands: update.availableCommands }, "commands")
      case "current_mode_update":
        return set({ mode: update.currentModeId }, "mode")
      case "config_option_update":
        return set({ configOptions: update.configOptions }, "configOptions")
      case "session_info_update":
        fields = withInfo(fields, update)
        return "title"
      case "usage_update":
        return set({ usage: { used: update.used, size: update.size, ...defined({ cost: update.cost }) } }, "usage")
      case "compaction_update":
        return messages.compaction(update)
      // The summary is for the model; people have read what it sums up.
      case "compaction_summary_chunk":
      case "unknown":
        return undefined
    }
  }

  return {
    apply: (update) => {
      const key = fold(update)
      if (key !== undefined) snapshot = undefined
      return key
    },
    set: (values) => {
      set(values, "")
      snapshot = undefined
    },
    prompt: (content) => {
      snapshot = undefined
      return messages.prompt(content)
    },
    remove: (key) => {
      snapshot = undefined
      messages.remove(key)
    },
    cancelUnfinished: () => {
      snapshot = undefined
      return ToolCallFold.cancelUnfinished(entries)
    },
    state: () => (snapshot ??= { ...fields, entries: entries.toArray() })
  }
}

/** The update that a permission request makes of its tool call; undefined without a tool call. */
export const permissionUpdate = ({ toolCall }: PermissionRequest): Update | undefined =>
  toolCall === undefined ? undefined : { ...toolCall, sessionUpdate: "tool_call_update" }

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
