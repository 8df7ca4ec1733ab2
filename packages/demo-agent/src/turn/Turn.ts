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
import { readPrompt, type ReadPrompt } from "./Prompt.ts"
import { newData, readSessionData } from "./ReadStep.ts"
import { cannotText, helpText, NEEDS_DATA } from "./Replies.ts"

/** Answers one prompt: reads, analyses, says, asks, writes, sums up. */
export const runTurn = async (
  live: LiveSession,
  prompt: ReadonlyArray<ContentBlock>,
  writer: SessionWriter
): Promise<StopReason> => {
  try {
    await respond(live, readPrompt(prompt), writer)
  } catch (error) {
    if (writer.signal.aborted) return "cancelled"
    await explain(error, live.state, writer)
  }
  return writer.signal.aborted ? "cancelled" : "end_turn"
}

const respond = async (live: LiveSession, prompt: ReadPrompt, writer: SessionWriter): Promise<void> => {
  const { cwd, state } = live
  const messageId = randomUUID()
  const { request } = prompt
  state.turns++
  state.history.push({ type: "user", messageId, text: Markdown.truncate(request, MAX_STORED_REQUEST) })
  await saveSession(cwd, state)
  const given = await newData(live, prompt, messageId, writer)
  for (const note of prompt.notes) await writer.say(`${note}\n`)
  if (given === undefined && state.data === null) return writer.say(NEEDS_DATA)
  const known = given === undefined ? live.data : undefined
  const data = known ?? (await readSessionData(live, given, writer))
  writer.signal.throwIfAborted()
  const parsed = parseRequest(request, subjectOf(data), given !== undefined)
  const asked = given === undefined ? withLastChart(parsed, state.lastChart) : parsed
  const { intent } = asked
  if (intent.do !== "help" && intent.do !== "cannot")
    return answer(live, data, { request, asked, wasRead: known === undefined }, writer)
  await writer.plan(PlanProgress.completeStep)
  await writer.say("why" in intent ? cannotText(data, intent.why, state.filters.length > 0) : helpText(data))
  await writer.plan(PlanProgress.completeAll)
}

/** Tells the person why the turn has no complete answer. */
const explain = async (error: unknown, { data }: SessionState, writer: SessionWriter): Promise<void> => {
  if (error instanceof UnreadableData) {
    const before = data === null ? "" : ` I still have ${Markdown.bold(data.name)} from before.`
    // The step at hand was not done, but what is said about it is the answer.
    await writer.plan(PlanProgress.dropStep)
    await writer.say(`${error.message}${before}\n`)
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
