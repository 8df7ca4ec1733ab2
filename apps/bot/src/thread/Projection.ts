import type * as SessionState from "@heddle/acp/SessionState"
import * as Question from "../view/Question.ts"
import { fit, fitLines } from "../view/Fit.ts"
import { type Asked, isUnfinished, type Item, type Outcome } from "./Conversation.ts"
import type { PermissionRow } from "./Permissions.ts"

/** How many pieces of a session are the agent's: what the next turn adds comes after them. */
export const agentEntries = (state: SessionState.SessionState): number =>
  state.entries.filter((entry) => !isUser(entry)).length

/** How many prompts a session has. */
export const prompts = (state: SessionState.SessionState): number => state.entries.filter(isUser).length

/**
 * How the turn after the first `skip` pieces ended, when nothing but the session tells. A service that had to end a turn
 * has the last word in it, as a notice; without one, an unfinished step of which the agent said nothing more tells the
 * same. Agents that say more have gone on without finishing it.
 */
export const stopReason = (state: SessionState.SessionState, skip: number): "end_turn" | "interrupted" => {
  const turn = state.entries.filter((entry) => !isUser(entry)).slice(skip)
  const last = turn.findLastIndex((entry) => entry._tag === "Message" && entry.role === "agent")
  const words = turn[last]
  const closed = last === turn.length - 1 && words?._tag === "Message" && words.meta?.["heddle/notice"] === true
  const unfinished = turn.slice(last + 1).some((entry) => entry._tag === "ToolCall" && isUnfinished(entry.status))
  return closed || unfinished ? "interrupted" : "end_turn"
}

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
  const parts = (toolCall.content ?? []).flatMap((part) => {
    if (part.type === "content" && part.content.type === "text") return [part.content.text]
    if (part.type === "diff") return [`${code(part.path)}\n${diff(part.oldText ?? "", part.newText)}`]
    return []
  })
  if (parts.length > 0) return fitLines(parts.join("\n"), 3500)
  const files = (toolCall.locations ?? []).slice(0, 10).map(({ path }) => `- ${code(path)}`)
  return fitLines((files.length > 0 ? files : input(toolCall.rawInput)).join("\n"), 3500)
}

/** The end of a path: where the sandbox keeps its files is of no use to a reader. */
const code = (path: string): string => {
  const segments = path.split("/").filter((segment) => segment !== "")
  const short = segments.length > 3 ? `…/${segments.slice(-2).join("/")}` : path
  return `\`${fit(short.replaceAll("`", "'"), 200)}\``
}

const isUser = (entry: SessionState.Entry): boolean => entry._tag === "Message" && entry.role === "user"

const toAsked = (row: PermissionRow): Asked => ({
  _tag: "Asked",
  id: row.permissionId,
  form: row.form,
  title: row.title,
  detail: row.detail,
  options: row.options,
  questions: row.questions,
  draft: row.draft,
  step: row.step,
  page: row.page,
  deadline: row.deadlineAt,
  outcome: outcomeOf(row)
})

const outcomeOf = ({ answer, answeredAt, answeredBy, options, questions, state }: PermissionRow): Outcome => {
  if (state === "open") return { _tag: "Open" }
  if (state === "expired") return { _tag: "Expired" }
  if (state === "withdrawn" || answer === undefined) return { _tag: "Withdrawn" }
  const told = { _tag: "Answered", by: answeredBy ?? "", at: answeredAt ?? 0 } as const
  switch (answer._tag) {
    case "Selected": {
      const option = options.find(({ optionId }) => optionId === answer.optionId)
      const what = [{ question: "", answer: option?.name ?? answer.optionId }]
      return { ...told, what, allowed: option?.kind.startsWith("allow") === true }
    }
    case "Declined":
      return { ...told, what: [], allowed: false }
    case "Answered": {
      const what = questions.flatMap((question) => {
        const given = answer.answers[question.id]
        return given === undefined ? [] : [{ question: question.question, answer: Question.words(question, given) }]
      })
      return { ...told, what, allowed: true }
    }
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
