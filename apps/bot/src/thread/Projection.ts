import type * as SessionState from "@heddle/acp/SessionState"
import { fit, fitLines } from "../view/Fit.ts"
import type { Asked, Item } from "./Conversation.ts"
import type { PermissionRow } from "./Permissions.ts"

/** How many pieces of a session are the agent's: what the next turn adds comes after them. */
export const agentEntries = (state: SessionState.SessionState): number =>
  state.entries.filter((entry) => !isUser(entry)).length

/** How many prompts a session has. */
export const prompts = (state: SessionState.SessionState): number => state.entries.filter(isUser).length

/** What the agent said and did after its first `skip` pieces, with each permission request after its tool call. */
export const items = (
  state: SessionState.SessionState,
  skip: number,
  permissions: ReadonlyArray<PermissionRow>
): ReadonlyArray<Item> => {
  const placed = new Set<string>()
  const shown = state.entries
    .filter((entry) => !isUser(entry))
    .slice(skip)
    .flatMap((entry): ReadonlyArray<Item> => {
      if (entry._tag === "Message") {
        return entry.role === "thought" || entry.text.trim() === ""
          ? []
          : [{ _tag: "Said", id: entry.key, text: entry.text }]
      }
      if (entry._tag === "Notice") {
        const text = entry.description === undefined ? entry.title : `${entry.title}: ${entry.description}`
        return [{ _tag: "Remarked", id: entry.key, text }]
      }
      const asked = permissions.filter((row) => row.toolCallId === entry.toolCallId)
      for (const row of asked) placed.add(row.permissionId)
      const title = entry.title === "" ? (entry.name ?? entry.kind) : entry.title
      return [{ _tag: "Did", id: entry.key, title, status: entry.status }, ...asked.map(toAsked)]
    })
  return [...shown, ...permissions.filter((row) => !placed.has(row.permissionId)).map(toAsked)]
}

/** What a tool call would do, in Markdown that fits a card. */
export const detail = (toolCall: {
  readonly content?: SessionState.ToolCall["content"] | null | undefined
  readonly locations?: SessionState.ToolCall["locations"] | null | undefined
  readonly rawInput?: unknown
}): string => {
  const files = (toolCall.locations ?? []).slice(0, 10).map(({ path }) => `- \`${fit(path.replaceAll("`", "'"), 200)}\``)
  const parts = (toolCall.content ?? []).flatMap((part) => {
    if (part.type === "content" && part.content.type === "text") return [part.content.text]
    if (part.type === "diff") return [`\`${part.path.replaceAll("`", "'")}\`\n${diff(part.oldText ?? "", part.newText)}`]
    return []
  })
  const raw = parts.length === 0 && files.length === 0 ? input(toolCall.rawInput) : []
  return fitLines([...files, ...parts, ...raw].join("\n"), 3500)
}

const isUser = (entry: SessionState.Entry): boolean => entry._tag === "Message" && entry.role === "user"

const toAsked = (row: PermissionRow): Asked => {
  const option = row.optionIndex === undefined ? undefined : row.options[row.optionIndex]
  return {
    _tag: "Asked",
    id: row.permissionId,
    title: row.title,
    detail: row.detail,
    options: row.options,
    outcome:
      row.state === "open"
        ? { _tag: "Open" }
        : row.state === "answered" && option !== undefined
          ? {
              _tag: "Answered",
              option: option.name,
              allowed: option.kind.startsWith("allow"),
              by: row.answeredBy ?? ""
            }
          : { _tag: "Withdrawn" }
  }
}

/** The changed lines between what both texts begin and end with. */
const diff = (before: string, after: string): string => {
  const old = before === "" ? [] : before.split("\n")
  const now = after.split("\n")
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const lines = [
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`)
  ]
  const shown = lines.slice(0, 40).map((line) => fit(line.replaceAll("```", "'''"), 200))
  const hidden = lines.length - shown.length
  return ["```diff", ...shown, "```", ...(hidden > 0 ? [`*… ${hidden} more lines*`] : [])].join("\n")
}

const input = (raw: unknown): ReadonlyArray<string> => {
  if (typeof raw !== "object" || raw === null) return []
  const json = JSON.stringify(raw, null, 1).replaceAll("```", "'''")
  return ["```json", fit(json, 1500), "```"]
}
