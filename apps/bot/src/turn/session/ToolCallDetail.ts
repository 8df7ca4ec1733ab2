import type * as SessionState from "@heddle/acp/SessionState"
import * as PlanDiff from "@heddle/artifacts/PlanDiff"
import type { Messages } from "../../messages/Messages.ts"
import { forDecision } from "../../text/Escape.ts"
import { revealHidden } from "../../text/Sanitize.ts"
import { truncate, truncateLines, truncateMiddle } from "../../text/Truncate.ts"

/** What a tool call would do. */
export interface ToolCallDetail {
  /** Markdown that fits a card. */
  readonly detail: string
  /** All of it as plain text, with each change as a unified diff; undefined where `detail` has all of it. */
  readonly wholeDetail: string | undefined
}

/** The limit of a request's title. */
export const maxTitleChars = 200

/** Describes the text of a request that is not about a tool call. */
export const ofMessage = (message: string): ToolCallDetail => {
  const detail = truncate(message, 3500)
  return { detail, wholeDetail: detail === message ? undefined : `${revealHidden(message)}\n` }
}

/** Describes what a tool call with this title would do, for a person who allows it. */
export const of = (
  toolCall: {
    readonly content?: SessionState.ToolCall["content"] | null | undefined
    readonly locations?: SessionState.ToolCall["locations"] | null | undefined
    readonly rawInput?: unknown
  },
  title: string,
  turnPosts: Messages["turnPosts"]
): ToolCallDetail => {
  const content = (toolCall.content ?? []).flatMap((part): ReadonlyArray<Part> => {
    if (part.type === "content" && part.content.type === "text") return [wholePart(part.content.text)]
    return part.type === "diff" ? [changePart(part.path, part.oldText ?? undefined, part.newText, turnPosts)] : []
  })
  const locations = toolCall.locations ?? []
  const parts =
    content.length > 0 ? content : locations.length > 0 ? locationParts(locations) : inputParts(toolCall.rawInput)
  const text = forDecision(parts.map(({ shown }) => shown).join("\n"))
  const detail = truncateLines(text, maxChars, turnPosts.moreCharacters)
  const isTitleWhole = title.trim().length <= maxTitleChars
  if (isTitleWhole && detail === text && parts.every((part) => part.isWhole)) return { detail, wholeDetail: undefined }
  // The end of a long title may be in the input alone.
  const whole = isTitleWhole ? parts : [wholePart(title), ...parts, ...inputParts(toolCall.rawInput)]
  return { detail, wholeDetail: `${revealHidden(whole.map((part) => part.whole()).join("\n"))}\n` }
}

/** A part of a detail: on the card, and whole. */
interface Part {
  readonly shown: string
  readonly isWhole: boolean
  readonly whole: () => string
}

const wholePart = (text: string): Part => ({ shown: text, isWhole: true, whole: () => text })

const changePart = (path: string, oldText: string | undefined, text: string, { moreLines }: Messages["turnPosts"]) => {
  const change = { previousText: oldText ?? "", text }
  const lines = changedLines(change)
  const visible = lines.slice(0, maxLines).map((line) => truncate(line.replaceAll("```", "'''"), maxLineChars))
  const hidden = lines.length - visible.length
  const block = ["```diff", ...visible, "```", ...(hidden > 0 ? [moreLines(hidden)] : [])]
  const name = toLine(path)
  return {
    shown: [formatPath(path), ...block].join("\n"),
    isWhole: hidden === 0 && isShort(path) && lines.every(({ length }) => length <= maxLineChars),
    whole: () => `--- ${oldText === undefined ? "/dev/null" : name}\n+++ ${name}\n${unified(change)}`
  }
}

/** The changed lines; a header stands above each of several places. */
const changedLines = (change: { readonly previousText: string; readonly text: string }): ReadonlyArray<string> => {
  const diff = PlanDiff.of(change, { context: 0 }) ?? noChange
  const lines = PlanDiff.toUnified(diff).split("\n")
  return diff.hunks.length > 1 ? lines : lines.slice(1)
}

const unified = (change: { readonly previousText: string; readonly text: string }): string =>
  PlanDiff.toUnified(PlanDiff.of(change) ?? noChange)

const noChange: PlanDiff.PlanDiff = { added: 0, removed: 0, hunks: [] }

const locationParts = (locations: ReadonlyArray<{ readonly path: string }>): ReadonlyArray<Part> => {
  const list = (paths: typeof locations, format: (path: string) => string) =>
    paths.map(({ path }) => `- ${format(path)}`).join("\n")
  return [
    {
      shown: list(locations.slice(0, maxLocations), formatPath),
      isWhole: locations.length <= maxLocations && locations.every(({ path }) => isShort(path)),
      whole: () => list(locations, toLine)
    }
  ]
}

const inputParts = (raw: unknown): ReadonlyArray<Part> => {
  if (typeof raw !== "object" || raw === null) return []
  const json = JSON.stringify(raw, null, 1)
  const shown = ["```json", truncate(json.replaceAll("```", "'''"), 1500), "```"].join("\n")
  return [{ shown, isWhole: json.length <= 1500, whole: () => json }]
}

const formatPath = (path: string): string => `\`${truncateMiddle(toLine(path), maxPathChars).replaceAll("`", "'")}\``

const isShort = (path: string): boolean => toLine(path).length <= maxPathChars

const toLine = (path: string): string => path.replace(/[\n\r]/g, "\ufffd")

/** The limit of a detail on a card: beside it stand the answer or the deadline, and where all of it is. */
const maxChars = 3000

/** The limits of one change on a card. */
const maxLines = 40
const maxLineChars = 200

const maxPathChars = 200

const maxLocations = 10
