import * as Language from "../format/Language.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import type { ToolCall } from "../session/SessionUpdates.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"

/** Runs `work` as a tool call, which completes with the text of the work or fails with the reason. */
export const runTool = async <A>(
  writer: SessionWriter,
  call: Pick<ToolCall, "kind" | "title" | "rawInput"> & Partial<ToolCall>,
  work: () => Promise<{ readonly text: string; readonly result: A }>
): Promise<A> => {
  const tool = await writer.startTool(call)
  await writer.updateTool(tool, "in_progress")
  try {
    const { result, text } = await work()
    await writer.updateTool(tool, "completed", text)
    return result
  } catch (error) {
    await writer.updateTool(tool, "failed", reasonOf(error, writer.signal))
    throw error
  }
}

const reasonOf = (error: unknown, signal: AbortSignal): string => {
  if (signal.aborted) return Language.text("stopped by you", "已被您停止")
  return error instanceof UnreadableData ? error.message : Language.text("it went wrong", "出错了")
}
