import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Messages } from "../../messages/Messages.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import { AgentOfferRows } from "../../store/AgentOffers.ts"
import { type AgentDefaults, GuildSettings } from "../../store/GuildSettings.ts"
import { turnKind } from "../../store/Inbox.ts"
import { Requests } from "../../store/Requests.ts"
import { Threads } from "../../store/Threads.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import { plain } from "../../text/Escape.ts"
import { oneLine } from "../../text/Truncate.ts"
import * as AgentChoices from "./AgentChoices.ts"

/**
 * Gives the agent of a new task the mode, the model and the options that the server has chosen for new tasks. With
 * `isHeld` the agent has not had the first prompt; otherwise the thread is told that it came too late for that one.
 */
export const apply = Effect.fn("AgentDefaults.apply")(function* (
  { entry, messages, row, thread }: OpenTurn,
  session: AcpSession,
  isHeld: boolean
) {
  if (turnKind(entry) !== "FirstPrompt" || row.prompted) return
  const { channelId, guildId, threadId } = thread
  const offerRows = yield* AgentOfferRows
  const agent = Option.getOrUndefined(yield* offerRows.agentOf(thread.taskId))
  const defaults = yield* (yield* GuildSettings).agentDefaultsFor(guildId, { channelId, agent: agent?.name })
  const wanted = defaults.find((each) => each.agent !== undefined)?.agent
  if (wanted !== undefined) yield* tellMissing(wanted, entry.eventId, thread, messages)
  const choices = choicesOf(defaults)
  if (choices.length === 0) return
  // Later in its first turn the owner may have chosen something else.
  if (!isHeld && !(yield* (yield* Threads).isFirstTime(threadId, "agent-defaults"))) return
  const known = agent === undefined ? [] : yield* offerRows.newestOfEach(guildId)
  const others = known.flatMap((each) => (each.agent === undefined || each.agent === agent?.name ? [] : [each.offers]))
  for (const candidates of choices) yield* chooseFirst(candidates, { thread, messages, session, isHeld, others })
})

/** The value of a default: where it may be meant for another agent, it need not be offered. */
interface Candidate extends AgentOffers.Target {
  readonly value: string
  readonly forAgent: string | undefined
}

/** What the defaults choose, each by its candidates: the model first, because options depend on it, and the mode last. */
const choicesOf = (defaults: ReadonlyArray<AgentDefaults>): ReadonlyArray<ReadonlyArray<Candidate>> => {
  const candidates = (target: AgentOffers.Target, valueIn: (each: AgentDefaults) => string | undefined) =>
    defaults.flatMap((each) => {
      const value = valueIn(each)
      return value === undefined ? [] : [{ ...target, value, forAgent: each.forAgent }]
    })
  const configIds = new Set(defaults.flatMap(({ options }) => Object.keys(options)))
  return [
    candidates({ kind: "model" }, ({ model }) => model),
    ...[...configIds].map((configId) => candidates({ kind: "option", configId }, ({ options }) => options[configId])),
    candidates({ kind: "mode" }, ({ mode }) => mode)
  ].filter(({ length }) => length > 0)
}

/** Makes the first choice that is not meant for another agent. What does not succeed is told once. */
const chooseFirst = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<Candidate>,
  { isHeld, messages, others, session, thread }: Place
) {
  const { agent } = messages
  for (const { forAgent, value, ...target } of candidates) {
    const choice = { ...target, value, userId: thread.ownerId }
    const words = ({ agent }: Messages, { after, name }: AgentChoices.NamedChange) =>
      agent.defaultSet(name, after, isHeld)
    const outcome = yield* AgentChoices.chooseIn(thread, choice, session, words).pipe(
      Effect.catchTag("RpcError", ({ message }) =>
        Effect.succeed({ _tag: "Failed", text: plain(oneLine(message, 500)) } as const)
      )
    )
    const isForAnother = forAgent === undefined && others.some((offers) => AgentOffers.hasValue(offers, target, value))
    if (isMissing(outcome) && isForAnother) continue
    const problem = problemOf(outcome, messages)
    const key = AgentOffers.keyOf(target)
    if (problem === undefined || !(yield* (yield* Threads).isFirstTime(thread.threadId, `agent-default:${key}`))) return
    const name = target.kind === "option" ? (target.configId ?? "") : agent.kinds[target.kind]
    return yield* AgentChoices.post(thread, agent.defaultNotSet(name, value, problem), `default ${key}`)
  }
})

interface Place {
  readonly thread: OpenTurn["thread"]
  readonly messages: Messages
  readonly session: AcpSession
  readonly isHeld: boolean
  /** What the other agents of the server's tasks offer. */
  readonly others: ReadonlyArray<AgentOffers.AgentOffers>
}

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
