import type * as SessionState from "@heddle/acp/SessionState"
import type { PermissionRow } from "../../../store/PermissionRow.ts"

/** Where a request stands among the agent's entries; see `PermissionRow`. */
export type Place = Pick<PermissionRow, "afterEntries" | "afterChars" | "afterText" | "afterSteps">

/** Whether an entry is words without an id: a replay may join it to those before. */
export const isJoinable = (
  entry: SessionState.Entry | undefined
): entry is SessionState.Message & { readonly messageId?: undefined } =>
  entry?._tag === "Message" && entry.role === "agent" && entry.messageId === undefined

/** The place after the agent's entries, of which `entries` has no messages of users. */
export const placeAfter = (entries: ReadonlyArray<SessionState.Entry>): Place => {
  const last = entries.at(-1)
  let [afterText, afterSteps] = [0, 0]
  for (const entry of entries) {
    if (isJoinable(entry) && entry.text !== "") [afterText, afterSteps] = [afterText + entry.text.length, 0]
    else if (isStep(entry)) afterSteps++
  }
  return {
    afterEntries: entries.length,
    afterChars: last?._tag === "Message" ? last.text.length : 0,
    afterText,
    afterSteps
  }
}

/** Moves a request to its place among entries of a replay, which may have joined messages. */
export const relocate = (entries: ReadonlyArray<SessionState.Entry>, row: PermissionRow): PermissionRow => {
  const { afterText = 0, afterSteps = 0 } = row
  if (row.afterText === undefined) return row
  let [at, chars] = [-1, 0]
  if (afterText > 0) {
    let before = 0
    at = entries.findIndex((entry) => {
      if (isJoinable(entry)) before += entry.text.length
      return before >= afterText
    })
    const entry = entries[at]
    if (!isJoinable(entry)) return row
    chars = entry.text.length - (before - afterText)
    if (chars < entry.text.length) return { ...row, afterEntries: at + 1, afterChars: chars }
  }
  let left = afterSteps
  for (let next = at + 1; left > 0; next++) {
    const entry = entries[next]
    if (entry === undefined || (isJoinable(entry) && entry.text !== "")) break
    if (!isStep(entry)) continue
    left--
    at = next
    chars = entry._tag === "Message" ? row.afterChars : 0
  }
  return { ...row, afterEntries: at + 1, afterChars: chars }
}

/** Whether an entry stays what it is in every replay that has it. */
const isStep = (entry: SessionState.Entry): boolean =>
  entry._tag !== "Message" || (entry.role === "agent" && entry.messageId !== undefined)
