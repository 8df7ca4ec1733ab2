import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk"
import { randomUUID } from "node:crypto"
import { subjectOf, withLastChart } from "../answer/Analysis.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import * as Markdown from "../format/Markdown.ts"
import { parseRequest } from "../question/RequestParser.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import * as PlanProgress from "../session/PlanProgress.ts"
import type { SessionState } from "../session/SessionState.ts"
import { saveSession } from "../session/SessionStore.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { answer } from "./AnswerStep.ts"
import { parsePrompt, type ParsedPrompt } from "./Prompt.ts"
import { readNewData, readSessionData } from "./ReadStep.ts"
import { cannotText, courtesyReply, helpText, NEEDS_DATA } from "./Replies.ts"

/** Answers one prompt: reads, analyses, says, asks, writes, sums up. */
export const runTurn = async (
  live: LiveSession,
  prompt: ReadonlyArray<ContentBlock>,
  writer: SessionWriter
): Promise<StopReason> => {
  try {
    await respond(live, parsePrompt(prompt), writer)
  } catch (error) {
    if (writer.signal.aborted) return "cancelled"
    await explainError(error, live.state, writer)
  }
  return writer.signal.aborted ? "cancelled" : "end_turn"
}

/** Reads new data where there is some, understands the request and answers it. */
const respond = async (live: LiveSession, prompt: ParsedPrompt, writer: SessionWriter): Promise<void> => {
  const { cwd, state } = live
  const messageId = randomUUID()
  const { request, speaker } = prompt
  state.turns++
  state.history.push({ type: "user", messageId, text: Markdown.truncate(speaker + request, MAX_STORED_REQUEST) })
  await saveSession(cwd, state)
  const newData = await readNewData(live, prompt, messageId, writer)
  for (const note of prompt.notes) await writer.say(`${note}\n`)
  const courtesy = newData === undefined ? courtesyReply(request, state.data?.name) : undefined
  if (courtesy !== undefined) return writer.say(courtesy)
  if (newData === undefined && state.data === null) return writer.say(NEEDS_DATA)
  const cachedData = newData === undefined ? live.data : undefined
  const data = cachedData ?? (await readSessionData(live, newData, writer))
  writer.signal.throwIfAborted()
  const parsed = parseRequest(request, subjectOf(data), newData !== undefined)
  const resolvedRequest = newData === undefined ? withLastChart(parsed, state.lastChart) : parsed
  const { intent } = resolvedRequest
  if (intent.kind !== "help" && intent.kind !== "cannot")
    return answer(live, data, { request, resolvedRequest, readNow: cachedData === undefined }, writer)
  await writer.plan(PlanProgress.completeStep)
  await writer.say(
    intent.kind === "cannot" ? cannotText(data, intent.reason, state.filters.length > 0) : helpText(data)
  )
  await writer.plan(PlanProgress.completeAll)
}

/** Tells the person why the turn has no complete answer. */
const explainError = async (error: unknown, { data }: SessionState, writer: SessionWriter): Promise<void> => {
  if (error instanceof UnreadableData) {
    const keptDataNote = data === null ? "" : ` I still have ${Markdown.bold(data.name)} from before.`
    // The current step failed; the message about it is the answer.
    await writer.plan(PlanProgress.dropStep)
    await writer.say(`${error.message}${keptDataNote}\n`)
    return writer.plan(PlanProgress.completeAll)
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  await writer.plan(PlanProgress.dropRest)
  await writer.say(
    "Something went wrong in my own work, so this question has no complete answer. Your data is unchanged; please ask again or ask differently.\n"
  )
}

/** A longer request is cut in the history, in characters. */
const MAX_STORED_REQUEST = 64 * 1024
