import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Messages } from "../../messages/Messages.ts"
import { AgentOfferRows } from "../../store/AgentOffers.ts"
import { GuildSettings } from "../../store/GuildSettings.ts"
import { turnKind } from "../../store/Inbox.ts"
import { Requests } from "../../store/Requests.ts"
import { Threads } from "../../store/Threads.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import { plain } from "../../text/Escape.ts"
import { oneLine } from "../../text/Truncate.ts"
import * as AgentChoices from "./AgentChoices.ts"

/**
 * Gives the agent of a new task the mode and the model that the server has chosen for new tasks. With `isHeld` the agent
 * has not had the first prompt; otherwise the thread is told that it came too late for that one.
 */
export const apply = Effect.fn("AgentDefaults.apply")(function* (
  { entry, messages, row, thread }: OpenTurn,
  session: AcpSession,
  isHeld: boolean
) {
  if (turnKind(entry) !== "FirstPrompt" || row.prompted) return
  const { channelId, guildId, ownerId, threadId } = thread
  const { agent, mode, model } = yield* (yield* GuildSettings).agentDefaultsFor(guildId, channelId)
  if (agent !== undefined) yield* tellMissing(agent, entry.eventId, thread, messages)
  if (mode === undefined && model === undefined) return
  const threads = yield* Threads
  // Later in its first turn the owner may have chosen something else.
  if (!isHeld && !(yield* threads.isFirstTime(threadId, "agent-defaults"))) return
  const isOneOfSeveral = Option.isSome(yield* (yield* AgentOfferRows).agentOf(thread.taskId))
  const chosen = [
    { kind: "model", value: model },
    { kind: "mode", value: mode }
  ] as const
  for (const { kind, value } of chosen) {
    if (value === undefined) continue
    const choice = { kind, value, userId: ownerId }
    const words = ({ agent }: Messages, { after, name }: AgentChoices.NamedChange) =>
      agent.defaultSet(name, after, isHeld)
    const outcome = yield* AgentChoices.chooseIn(thread, choice, session, words).pipe(
      Effect.catchTag("RpcError", ({ message }) =>
        Effect.succeed({ _tag: "Failed", text: plain(oneLine(message, 500)) } as const)
      )
    )
    // What the settings want is for another of the agents.
    if (isMissing(outcome) && isOneOfSeveral) continue
    const problem = problemOf(outcome, messages)
    if (problem === undefined || !(yield* threads.isFirstTime(threadId, `agent-default:${kind}`))) continue
    const text = messages.agent.defaultNotSet(messages.agent.kinds[kind], value, problem)
    yield* AgentChoices.post(thread, text, `default ${kind}`)
  }
})

/** Tells the thread once that the service does not offer the agent of the settings, which its task therefore lacks. */
const tellMissing = Effect.fnUntraced(function* (
  agent: string,
  requestId: string,
  thread: OpenTurn["thread"],
  messages: Messages
) {
  const request = Option.getOrUndefined(yield* (yield* Requests).find(requestId))
  if (request === undefined || request.agent !== undefined || request.sentAgent !== "") return
  if (!(yield* (yield* Threads).isFirstTime(thread.threadId, "agent-default:agent"))) return
  yield* AgentChoices.post(thread, messages.agent.defaultAgentMissing(agent), "default agent")
})

/** The agent of the task does not offer what was chosen. */
const isMissing = ({ _tag }: AgentChoices.Outcome): boolean => _tag === "NotOffered" || _tag === "UnknownValue"

const problemOf = (outcome: AgentChoices.Outcome, { agent }: Messages): string | undefined => {
  switch (outcome._tag) {
    case "Changed":
    case "Same":
      return undefined
    case "NotAllowed":
      return agent.defaultProblems.needsApproval
    case "Refused":
      return agent.refused(outcome)
    case "Failed":
      return outcome.text
    default:
      return agent.defaultProblems.notOffered
  }
}
