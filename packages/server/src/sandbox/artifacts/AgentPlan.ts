import { field, isRecord, stringField } from "../../internal/Json.ts"

/** An agent's update of one of its plans; `key` is the agent's id of the plan, undefined for the plan without an id. */
export type AgentPlan = { readonly key: string | undefined } & (
  | { readonly _tag: "Tasks"; readonly entries: ReadonlyArray<unknown> }
  | { readonly _tag: "Text"; readonly text: string }
  /** The plan is in a file: a `file:` uri or an absolute path. */
  | { readonly _tag: "File"; readonly file: string }
  | { readonly _tag: "Removed" }
)

/** Reads plans from the messages of an agent. */
export interface Reader {
  /** From the `update` of a `session/update`. */
  readonly readUpdate: (update: unknown) => AgentPlan | undefined
  /** From the params of a permission request. */
  readonly readPermission: (params: unknown) => AgentPlan | undefined
}

/** Makes a reader. It remembers the tool calls that end a plan mode, because only their first message says so. */
export const makeReader = (): Reader => {
  const planModeToolCalls = new Set<string>()

  const remember = (id: string | undefined) => {
    if (id === undefined) return
    const [oldest] = planModeToolCalls
    if (planModeToolCalls.size >= maxRemembered && oldest !== undefined) planModeToolCalls.delete(oldest)
    planModeToolCalls.add(id)
  }
  const toolCall = (call: unknown): AgentPlan | undefined => {
    const id = stringField(call, "toolCallId")
    if (endsPlanMode(call)) remember(id)
    else if (id === undefined || !planModeToolCalls.has(id)) return undefined
    const input = field(call, "rawInput")
    const text = stringField(input, "plan")
    if (text !== undefined && text.trim() !== "") return { _tag: "Text", key: undefined, text }
    const file = planPaths.map((name) => stringField(input, name)).find((path) => path !== undefined && path !== "")
    return file === undefined ? undefined : { _tag: "File", key: undefined, file }
  }

  return {
    readUpdate: (update) => {
      switch (stringField(update, "sessionUpdate")) {
        case "plan":
          return toTasks(undefined, field(update, "entries"))
        case "plan_update":
          return readPlanUpdate(field(update, "plan"))
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
    readPermission: (params) => toolCall(field(params, "toolCall"))
  }
}

/** The unstable `plan_update` of the protocol: a list, Markdown, or a file. */
const readPlanUpdate = (plan: unknown): AgentPlan | undefined => {
  const key = keyOf(plan)
  if (key === undefined) return undefined
  const type = stringField(plan, "type")
  if (type === "items") return toTasks(key, field(plan, "entries"))
  const text = stringField(plan, "content")
  if (type === "markdown" && text !== undefined) return { _tag: "Text", key, text }
  const file = stringField(plan, "uri")
  return type === "file" && file !== undefined ? { _tag: "File", key, file } : undefined
}

const toTasks = (key: string | undefined, entries: unknown): AgentPlan => ({
  _tag: "Tasks",
  key,
  entries: Array.isArray(entries) ? entries : []
})

const keyOf = (plan: unknown): string | undefined => {
  const key = stringField(plan, "planId")
  return key === undefined || key === "" || key.length > maxKeyLength ? undefined : key
}

/** Tells whether a tool call ends the plan mode: it switches modes, or has the name of that tool. */
const endsPlanMode = (call: unknown): boolean => {
  if (field(call, "kind") === "switch_mode") return true
  const meta = field(call, "_meta")
  const names = isRecord(meta) ? Object.values(meta).map((value) => stringField(value, "toolName") ?? value) : []
  return names.some((name) => typeof name === "string" && /^exit_?plan_?mode$/i.test(name))
}

/** The fields in which agents give the path of a written plan. */
const planPaths: ReadonlyArray<string> = ["planFilePath", "plan_path", "planPath"]

const maxKeyLength = 200
const maxRemembered = 100
