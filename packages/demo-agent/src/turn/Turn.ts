import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk"
import { randomUUID } from "node:crypto"
import type { Data } from "../data/DataFile.ts"
import { UnreadableData } from "../data/UnreadableData.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { findCourtesy } from "../question/Courtesy.ts"
import { languageOf } from "../question/RequestLanguage.ts"
import { parseRequest } from "../question/RequestParser.ts"
import type { LiveSession } from "../session/LiveSession.ts"
import * as PlanProgress from "../session/PlanProgress.ts"
import type { SessionState } from "../session/SessionState.ts"
import { saveSession } from "../session/SessionStore.ts"
import type { SessionWriter } from "../session/SessionWriter.ts"
import { answer } from "./AnswerStep.ts"
import { parsePrompt, requestOf, type ParsedPrompt } from "./Prompt.ts"
import { readSessionData, storeNewData, type StoredData } from "./ReadStep.ts"
import { courtesyReply, helpText, needsData, refusalText } from "./Replies.ts"

/** How a turn ended; one that answers no question about data is free. */
export interface TurnEnd {
  readonly stopReason: StopReason
  readonly isFree: boolean
}

/** Answers one prompt in its language: stores its data first, reads, calculates, says, asks, writes, sums up. */
export const runTurn = (
  live: LiveSession,
  blocks: ReadonlyArray<ContentBlock>,
  writer: SessionWriter
): Promise<TurnEnd> => {
  const language = languageOf(requestOf(blocks)) ?? live.state.language
  live.state.language = language
  return Language.run(language, async (): Promise<TurnEnd> => {
    const { data: earlierData } = live.state
    let isFree = true
    try {
      const prompt = parsePrompt(blocks)
      const stored = await storePrompt(live, prompt)
      writer.signal.throwIfAborted()
      isFree = !(await respond(live, prompt, stored, writer))
    } catch (error) {
      if (error instanceof UnreadableData) live.state.data = earlierData
      if (!writer.signal.aborted) await explainError(error, live.state, writer)
    }
    return writer.signal.aborted ? { stopReason: "cancelled", isFree: false } : { stopReason: "end_turn", isFree }
  })
}

/** Stores the words and the data of a prompt, before a stop can end the turn. */
const storePrompt = async (live: LiveSession, prompt: ParsedPrompt): Promise<StoredData | undefined> => {
  const { cwd, state } = live
  const messageId = randomUUID()
  state.turns++
  const text = Markdown.truncate(prompt.speaker + prompt.request, MAX_STORED_REQUEST)
  state.history.push({ type: "user", messageId, text })
  await saveSession(cwd, state)
  const stored = await storeNewData(live, prompt, messageId)
  await saveSession(cwd, state)
  return stored
}

/** Reads new data where there is some, understands the request and answers it; returns whether it asked about data. */
const respond = async (
  live: LiveSession,
  { notes, request }: ParsedPrompt,
  stored: StoredData | undefined,
  writer: SessionWriter
): Promise<boolean> => {
  const { state } = live
  const newData = stored?.first
  if (newData !== undefined && stored !== undefined && stored.others.length > 0) {
    const [first, others] = [Markdown.bold(newData.name), stored.others.map(Markdown.bold).join(", ")]
    await writer.say(
      Language.text(
        `I look at one file at a time and start with ${first}. Say the name of another to go on with it: ${others}.\n`,
        `我一次看一个文件，先看 ${first}。要继续看别的，请说出它的名字：${others}。\n`
      )
    )
  }
  for (const note of notes) await writer.say(`${note}\n`)
  const courtesyOn = (data: Data | undefined) => courtesyReply(request, state.data?.name, data, newData !== undefined)
  const early = newData === undefined ? courtesyOn(live.data?.data) : undefined
  if (early !== undefined || (newData === undefined && state.data === null)) {
    await writer.say(early ?? needsData())
    return false
  }
  const cachedData = newData === undefined && live.data?.language === Language.now() ? live.data.data : undefined
  const data = cachedData ?? (await readSessionData(live, newData, writer))
  writer.signal.throwIfAborted()
  const courtesy = courtesyOn(data)
  const isHelp = findCourtesy(request) === "help"
  const parsed = courtesy === undefined && !isHelp ? parseRequest(request, data) : undefined
  if (parsed?.kind === "clauses") {
    await answer(data, { request, clauses: parsed.clauses, readNow: cachedData === undefined }, writer)
    return true
  }
  await writer.plan(PlanProgress.completeStep)
  await writer.say(
    parsed === undefined ? (courtesy ?? helpText(data)) : refusalText(data, parsed.reason, parsed.isUnderstood)
  )
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
