import { field, isRecord, stringField } from "../../internal/Json.ts"

/** What an agent says about one of its plans; `key` is its own name of the plan, undefined for the one without. */
export type AgentPlan = { readonly key: string | undefined } & (
  | { readonly _tag: "Tasks"; readonly entries: ReadonlyArray<unknown> }
  | { readonly _tag: "Text"; readonly text: string }
  /** The plan stands in a file, which is named by a `file:` uri or an absolute path. */
  | { readonly _tag: "File"; readonly file: string }
  | { readonly _tag: "Removed" }
)

/** Reads the plans out of what an agent says in a session. */
export interface Reader {
  /** Of the `update` of a `session/update`. */
  readonly update: (update: unknown) => AgentPlan | undefined
  /** Of the params of a permission request. */
  readonly permission: (params: unknown) => AgentPlan | undefined
}

/** Makes a reader; it remembers which tool calls end a plan mode, since only their first message says so. */
export const reader = (): Reader => {
  const endings = new Set<string>()

  const remember = (id: string | undefined) => {
    if (id === undefined) return
    const [oldest] = endings
    if (endings.size >= remembered && oldest !== undefined) endings.delete(oldest)
    endings.add(id)
  }
  const toolCall = (call: unknown): AgentPlan | undefined => {
    const id = stringField(call, "toolCallId")
    if (endsPlanMode(call)) remember(id)
    else if (id === undefined || !endings.has(id)) return undefined
    const input = field(call, "rawInput")
    const text = stringField(input, "plan")
    if (text !== undefined && text.trim() !== "") return { _tag: "Text", key: undefined, text }
    const file = planPaths.map((name) => stringField(input, name)).find((path) => path !== undefined && path !== "")
    return file === undefined ? undefined : { _tag: "File", key: undefined, file }
  }

  return {
    update: (update) => {
      switch (stringField(update, "sessionUpdate")) {
        case "plan":
          return tasks(undefined, field(update, "entries"))
        case "plan_update":
          return content(field(update, "plan"))
        case "plan_removed": {
          const key = keyOf(update)
          return key === undefined ? undefined : { _tag: "Removed", key }
        }
        case "tool_call":
        case "tool_call_update":
          return toolCall(update)
        default:
          return undefined
      }
    },
    permission: (params) => toolCall(field(params, "toolCall"))
  }
}

/** The unstable `plan_update` of the protocol: a list, Markdown, or a file. */
const content = (plan: unknown): AgentPlan | undefined => {
  const key = keyOf(plan)
  if (key === undefined) return undefined
  const type = stringField(plan, "type")
  if (type === "items") return tasks(key, field(plan, "entries"))
  const text = stringField(plan, "content")
  if (type === "markdown" && text !== undefined) return { _tag: "Text", key, text }
  const file = stringField(plan, "uri")
  return type === "file" && file !== undefined ? { _tag: "File", key, file } : undefined
}

const tasks = (key: string | undefined, entries: unknown): AgentPlan => ({
  _tag: "Tasks",
  key,
  entries: Array.isArray(entries) ? entries : []
})

const keyOf = (plan: unknown): string | undefined => {
  const key = stringField(plan, "planId")
  return key === undefined || key === "" || key.length > maxKeyLength ? undefined : key
}

/** A tool that switches modes and shows a plan does it at the end of planning; some agents only name the tool. */
const endsPlanMode = (call: unknown): boolean => {
  if (field(call, "kind") === "switch_mode") return true
  const meta = field(call, "_meta")
  const names = isRecord(meta) ? Object.values(meta).map((value) => stringField(value, "toolName") ?? value) : []
  return names.some((name) => typeof name === "string" && /^exit_?plan_?mode$/i.test(name))
}

/** How agents call the path of a plan that they wrote down before they end their plan mode. */
const planPaths: ReadonlyArray<string> = ["planFilePath", "plan_path", "planPath"]

const maxKeyLength = 200
const remembered = 100
