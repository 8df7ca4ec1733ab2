import {
  ApplicationCommandOptionType,
  type APIApplicationCommandStringOption
} from "../../discord/ApplicationCommands.ts"
import type { Control } from "@heddle/acp/SessionControls"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../../access/Accounts.ts"
import type { Permitted, Requirements as PolicyRequirements } from "../../access/Guard.ts"
import type { Action } from "../../model/Access.ts"
import * as AgentOffers from "../../model/AgentOffers.ts"
import type { Autocomplete, SlashCommand } from "../../discord/DiscordEvent.ts"
import type { Messages } from "../../messages/Messages.ts"
import { refused } from "../../messages/Refused.ts"
import { AgentOfferRows } from "../../store/AgentOffers.ts"
import { AuditLog } from "../../store/AuditLog.ts"
import { type Thread, Threads } from "../../store/Threads.ts"
import { oneLine } from "../../text/Truncate.ts"
import type { Outcome } from "../../turn/session/AgentChoices.ts"
import * as ThreadOwner from "../../turn/ThreadOwner.ts"
import { type Suggest, type Suggestion, matching, notConnected, say } from "../Command.ts"

/** What the handlers of choices need. */
export type Requirements =
  | Accounts
  | AgentOfferRows
  | AuditLog
  | PolicyRequirements
  | ThreadOwner.Requirements
  | Threads

/** An option whose values are suggested. */
export const suggestedOption = (name: string, description: string): APIApplicationCommandStringOption => ({
  type: ApplicationCommandOptionType.String,
  name,
  description,
  required: true,
  autocomplete: true,
  max_length: 100
})

/** The thread of this channel, unless it is closed, and what its agent offered last. */
export const offersHere = Effect.fn("AgentChoice.offersHere")(function* ({
  reply
}: Pick<SlashCommand, "reply">): Effect.fn.Return<Here | undefined, never, AgentOfferRows | Threads> {
  const thread = Option.getOrUndefined(yield* (yield* Threads).find(reply.channelId))
  if (thread === undefined) return undefined
  const stored = yield* (yield* AgentOfferRows).find(thread.taskId)
  return { thread, offers: Option.getOrUndefined(stored)?.offers }
})

interface Here {
  readonly thread: Thread
  /** Undefined before the agent has told anything. */
  readonly offers: AgentOffers.AgentOffers | undefined
}

/** The action for the policy: what is not known to be harmless needs the right to answer the agent's requests. */
export const chooseAction = (target: (event: SlashCommand) => AgentOffers.Target, valueOption: string) =>
  Effect.fnUntraced(function* (event: SlashCommand): Effect.fn.Return<Action, never, AgentOfferRows | Threads> {
    const here = yield* offersHere(event)
    if (here === undefined) return { _tag: "NothingHere" }
    return {
      _tag: "ChooseForAgent",
      task: here.thread,
      allowsMore: allowsMore(here, target(event), typed(event, valueOption))
    }
  })

const allowsMore = ({ offers }: Here, target: AgentOffers.Target, text: string): boolean => {
  const control = offers === undefined ? undefined : AgentOffers.find(offers, target)
  // Without such a control nothing is changed, and its handler says so.
  if (control === undefined) return false
  const value = AgentOffers.resolve(control, text)
  return value !== undefined && AgentOffers.allowsMore(control, value)
}

/** Has the owner of the thread make the choice, and says what became of it. */
export const choose = Effect.fn("AgentChoice.choose")(function* (
  event: Permitted<SlashCommand>,
  target: AgentOffers.Target,
  valueOption: string,
  messages: Messages
) {
  const here = yield* offersHere(event)
  if (here === undefined) return Option.some(say(messages.noTaskHere))
  if (here.thread.closed) return Option.some(say(messages.agent.threadLocked))
  const { reply } = event
  const { ownerId } = here.thread
  if (!(yield* (yield* Accounts).isConnected(ownerId)))
    return Option.some(say(notConnected(messages, ownerId, reply.userId)))
  const outcome = yield* ThreadOwner.choose(here.thread.threadId, {
    ...target,
    value: typed(event, valueOption),
    userId: reply.userId
  })
  if (outcome._tag === "Changed") {
    const { guildId, threadId } = here.thread
    const { name, value } = outcome
    const action = { _tag: "AgentSet", name, value } as const
    const at = yield* Clock.currentTimeMillis
    yield* (yield* AuditLog).record({ eventId: reply.id, guildId, at, actorId: reply.userId, threadId, action })
  }
  return Option.some(say(words(outcome, target, { ...here, userId: reply.userId }, messages)))
})

const words = (
  outcome: Outcome,
  { kind }: AgentOffers.Target,
  { offers, thread, userId }: Here & { readonly userId: string },
  messages: Messages
): string => {
  const { agent } = messages
  switch (outcome._tag) {
    case "Changed":
      return agent.done(outcome.name, outcome.value)
    case "Same":
      return agent.same(outcome.name, outcome.value)
    case "NotOffered":
      return kind === "option" && offers !== undefined && offers.options.length > 0
        ? agent.unknownOption(offers.options.map(({ name }) => oneLine(name, 40)))
        : agent.noneOffered[kind]
    case "UnknownValue":
      // An option without values is a switch.
      return agent.unknownValue(
        outcome.values.length === 0
          ? [agent.on, agent.off]
          : outcome.values.map((name) => AgentOffers.inWords(name, agent))
      )
    case "NotAllowed":
      return refused(messages, outcome.refusal, {
        _tag: "ChooseForAgent",
        task: thread,
        allowsMore: outcome.allowsMore
      })
    case "Refused":
      return agent.refused(outcome)
    case "NotReached":
      return agent.notReached
    case "NotAnswered":
      return agent.notAnswered
    case "NotConnected":
      return notConnected(messages, thread.ownerId, userId)
    case "Failed":
      return outcome.text
  }
}

/** Suggests while a person types, to people who may read the task. */
export const suggestFrom = (
  values: (offers: AgentOffers.AgentOffers, event: Autocomplete, messages: Messages) => ReadonlyArray<Suggestion>
): Suggest<AgentOfferRows | Threads> => ({
  action: (event) =>
    Effect.map(offersHere(event), (here): Action =>
      here === undefined ? { _tag: "NothingHere" } : { _tag: "Read", task: here.thread }
    ),
  handle: Effect.fn("AgentChoice.suggest")(function* (event, messages) {
    const here = yield* offersHere(event)
    if (here?.offers === undefined || here.thread.closed) return []
    return matching(values(here.offers, event, messages), event.focused.value)
  })
})

/** The values of a control, the current one marked. */
export const valuesOf = (control: Control | undefined, { agent }: Messages): ReadonlyArray<Suggestion> => {
  if (control === undefined) return []
  const isCurrent = (value: string | boolean) => value === control.current
  const marked = (name: string, value: string | boolean) => (isCurrent(value) ? agent.current(name) : name)
  return control.values.length === 0
    ? [
        { name: marked(agent.on, true), value: "on" },
        { name: marked(agent.off, false), value: "off" }
      ]
    : control.values.map(({ id, name }) => ({ name: marked(AgentOffers.inWords(name, agent), id), value: id }))
}

const typed = ({ options }: Pick<SlashCommand, "options">, name: string): string => String(options[name] ?? "").trim()
