import { stripVTControlCharacters } from "node:util"
import type * as SessionState from "@heddle/acp/SessionState"
import { revealHidden, wellFormed } from "../../text/Sanitize.ts"

/** What a tool call put out, without the control sequences of a terminal. */
export interface StepOutput {
  readonly title: string
  readonly text: string
}

/** The outputs of the tool calls among these entries, in order. */
export const of = (entries: ReadonlyArray<SessionState.Entry>): ReadonlyArray<StepOutput> =>
  outputsIn(entries).map(({ call, text }) => ({ title: call.title === "" ? call.kind : call.title, text: clean(text) }))

/** How many tool calls among these entries have an output. */
export const countIn = (entries: ReadonlyArray<SessionState.Entry>): number => outputsIn(entries).length

const outputsIn = (entries: ReadonlyArray<SessionState.Entry>) =>
  entries.flatMap((entry) => {
    if (entry._tag !== "ToolCall" || ownDisplay.has(entry.kind)) return []
    const text = rawTextOf(entry)
    return text === undefined ? [] : [{ call: entry, text }]
  })

// Files have cards and diffs, and thoughts are not shown.
const ownDisplay: ReadonlySet<string> = new Set(["read", "edit", "delete", "move", "think", "switch_mode"])

/** The text of an output, wherever the agent puts it. */
const rawTextOf = ({ content, rawOutput, terminalOutput }: SessionState.ToolCall): string | undefined => {
  const contentText = content
    .flatMap((part) => (part.type === "content" && part.content.type === "text" ? [part.content.text] : []))
    .join("\n")
  const candidates = [terminalOutput, textIn(rawOutput), withoutFence(contentText)]
  return candidates.find((text) => text !== undefined && /\S/.test(text))
}

const textIn = (raw: unknown): string | undefined => {
  if (typeof raw === "string") return raw
  if (typeof raw !== "object" || raw === null) return undefined
  const { output, text } = raw as { readonly output?: unknown; readonly text?: unknown }
  return [output, text].find((value) => typeof value === "string")
}

/** The content of a text that is one code block. */
const withoutFence = (text: string): string => /^\s*```\w*\n([^]*?)\n?```\s*$/.exec(text)?.[1] ?? text

const clean = (text: string): string => {
  const lines = stripVTControlCharacters(text).split("\n").map(lastWritten)
  return wellFormed(revealHidden(lines.join("\n")))
    .replace(/^\n+/, "")
    .trimEnd()
}

/** A progress bar writes its line again and again; the last one counts. */
const lastWritten = (line: string): string => {
  let end = line.length
  while (line[end - 1] === "\r") end--
  return line.slice(line.lastIndexOf("\r", end - 1) + 1, end)
}
