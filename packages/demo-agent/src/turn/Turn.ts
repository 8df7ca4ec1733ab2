import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk"
import { randomUUID } from "node:crypto"
import { subjectOf } from "../answer/Analysis.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { languageOf } from "../question/RequestLanguage.ts"
import { parseRequest } from "../question/RequestParser.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import * as PlanProgress from "../session/PlanProgress.ts"
import type { SessionState } from "../session/SessionState.ts"
import { saveSession } from "../session/SessionStore.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { answer } from "./AnswerStep.ts"
import { parsePrompt, requestOf, type ParsedPrompt } from "./Prompt.ts"
import { readNewData, readSessionData } from "./ReadStep.ts"
import { cannotText, courtesyReply, helpText, needsData } from "./Replies.ts"

/** How a turn ended; one that answers no question about data is free. */
export interface TurnEnd {
  readonly stopReason: StopReason
  readonly isFree: boolean
}

/** Answers one prompt in its language: reads, analyses, says, asks, writes, sums up. */
export const runTurn = (
  live: LiveSession,
  prompt: ReadonlyArray<ContentBlock>,
  writer: SessionWriter
): Promise<TurnEnd> => {
  const language = languageOf(requestOf(prompt)) ?? live.state.language
  live.state.language = language
  return Language.run(language, async (): Promise<TurnEnd> => {
    let isFree = true
    try {
      isFree = !(await respond(live, parsePrompt(prompt), writer))
    } catch (error) {
      if (!writer.signal.aborted) await explainError(error, live.state, writer)
    }
    return writer.signal.aborted ? { stopReason: "cancelled", isFree: false } : { stopReason: "end_turn", isFree }
  })
}

/** Reads new data where there is some, understands the request and answers it; returns whether it asked about data. */
const respond = async (live: LiveSession, prompt: ParsedPrompt, writer: SessionWriter): Promise<boolean> => {
  const { cwd, state } = live
  const messageId = randomUUID()
  const { request, speaker } = prompt
  state.turns++
  state.history.push({ type: "user", messageId, text: Markdown.truncate(speaker + request, MAX_STORED_REQUEST) })
  await saveSession(cwd, state)
  const newData = await readNewData(live, prompt, messageId, writer)
  for (const note of prompt.notes) await writer.say(`${note}\n`)
  const courtesy = courtesyReply(request, newData?.name ?? state.data?.name, newData !== undefined)
  if (newData === undefined && (courtesy !== undefined || state.data === null)) {
    await writer.say(courtesy ?? needsData())
    return false
  }
  const cachedData = newData === undefined && live.data?.language === Language.now() ? live.data.data : undefined
  const data = cachedData ?? (await readSessionData(live, newData, writer))
  writer.signal.throwIfAborted()
  if (courtesy !== undefined) {
    await writer.plan(PlanProgress.completeStep)
    await writer.say(courtesy)
    await writer.plan(PlanProgress.completeAll)
    return false
  }
  const parsed = parseRequest(request, subjectOf(data))
  if (parsed.kind === "parts")
    return answer(live, data, { request, parts: parsed.parts, readNow: cachedData === undefined }, writer)
  await writer.plan(PlanProgress.completeStep)
  await writer.say(parsed.kind === "cannot" ? cannotText(data, parsed.reason, state.filters) : helpText(data))
  await writer.plan(PlanProgress.completeAll)
  return false
}

/** Tells the person why the turn has no complete answer. */
const explainError = async (error: unknown, { data }: SessionState, writer: SessionWriter): Promise<void> => {
  if (error instanceof UnreadableData) {
    const keptDataNote =
      data === null
        ? ""
        : Language.text(
            ` I still have ${Markdown.bold(data.name)} from before.`,
            `之前的 ${Markdown.bold(data.name)} 我还有。`
          )
    // The current step failed; the message about it is the answer.
    await writer.plan(PlanProgress.dropStep)
    await writer.say(`${error.message}${keptDataNote}\n`)
    return writer.plan(PlanProgress.completeAll)
  }
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  await writer.plan(PlanProgress.dropRest)
  await writer.say(
    Language.text(
      "Something went wrong in my own work, so this question has no complete answer. Your data is unchanged; please ask again or ask differently.\n",
      "我自己的工作出了错，所以这个问题没有完整的答案。您的数据没有改变；请再问一次，或换一种问法。\n"
    )
  )
}

/** A longer request is cut in the history, in characters. */
const MAX_STORED_REQUEST = 64 * 1024
