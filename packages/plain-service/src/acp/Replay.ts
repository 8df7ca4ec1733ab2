import type { Readings } from "../Readings.ts"
import type { ContentBlock, JournalEntry, SessionUpdate } from "./Journal.ts"

/** The updates that session/load replays (4.13). */
export const replayed = (
  journal: ReadonlyArray<JournalEntry>,
  { replay, replayedChunks, replayedMeta, replayedPrompts }: Readings
): ReadonlyArray<SessionUpdate> => {
  if (replay === "none") return []
  const prompts = journal.flatMap(({ kind }, index) => (kind === "prompt" ? [index] : []))
  const kept = replayedPrompts === "newestOnly" ? 1 : replayedPrompts === "newestTwo" ? 2 : prompts.length + 1
  const updates = journal.slice(prompts.at(-kept) ?? 0).flatMap((entry) => {
    if (entry.kind === "update") return [entry.update]
    if (replay === "withoutUserMessages") return []
    return entry.blocks.map((block): SessionUpdate => {
      const written = replayedPrompts === "escaped" ? escaped(block) : block
      const content = replayedMeta === "kept" ? written : { ...written, _meta: undefined }
      return { sessionUpdate: "user_message_chunk", content }
    })
  })
  return replayedChunks === "joined" ? updates.reduce(joined, []) : updates
}

const escaped = (block: ContentBlock): ContentBlock =>
  typeof block["text"] === "string"
    ? { ...block, text: block["text"].replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;") }
    : block

const joined = (done: ReadonlyArray<SessionUpdate>, next: SessionUpdate): Array<SessionUpdate> => {
  const last = done.at(-1)
  const [before, after] = [textOf(last), textOf(next)]
  if (last === undefined || before === undefined || after === undefined || last.sessionUpdate !== next.sessionUpdate)
    return [...done, next]
  return [...done.slice(0, -1), { ...last, content: { type: "text", text: before + after } }]
}

const textOf = (update: SessionUpdate | undefined): string | undefined => {
  if (update === undefined || !/^agent_(message|thought)_chunk$/.test(update.sessionUpdate)) return undefined
  const content = update["content"] as { readonly text?: unknown } | undefined
  return typeof content?.text === "string" ? content.text : undefined
}
