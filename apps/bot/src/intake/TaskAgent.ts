import * as CallOptions from "@heddle/core/CallOptions"
import type { TaskSummary } from "@heddle/core/domain/Task"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Accounts } from "../access/Accounts.ts"
import { AgentOfferRows } from "../store/AgentOffers.ts"
import { GuildSettings } from "../store/GuildSettings.ts"
import type { Request } from "../store/Requests.ts"
import { findNamed } from "../text/Comparable.ts"

/** The service does not offer the agent that a person wants; `offered` is empty where it offers no choice. */
export class AgentNotOffered extends Data.TaggedError("AgentNotOffered")<{
  readonly wanted: string
  readonly offered: ReadonlyArray<string>
}> {}

/** The names of the agents that the service offers to a person, the default first; none where it offers no choice. */
export const offered = Effect.fn("TaskAgent.offered")((userId: string, openId?: string) =>
  Effect.flatMap(Accounts, ({ use }) => use(userId, ({ tasks }) => tasks.agents, openId)).pipe(
    Effect.map((agents) => agents.map(({ name }) => name))
  )
)

/** The same for a suggestion or a card, which do without where the service does not answer soon. */
export const offeredSoon = (userId: string, openId?: string) =>
  offered(userId, openId).pipe(
    CallOptions.with({ retry: "none", timeout: "1500 millis" }),
    Effect.orElseSucceed((): ReadonlyArray<string> => [])
  )

/**
 * The agent that the creation of a request's task names, empty for none: the person's choice, or that of the settings
 * where the service offers it.
 */
export const choose = Effect.fn("TaskAgent.choose")(function* (request: Request) {
  const { agent, channelId, guildId, openId, sentAgent, userId } = request
  if (sentAgent !== undefined) return sentAgent
  const defaults = yield* (yield* GuildSettings).agentDefaultsFor(guildId, { channelId, agent: undefined })
  const wanted = agent ?? defaults.find((each) => each.agent !== undefined)?.agent
  if (wanted === undefined) return ""
  const names = yield* offered(userId, openId)
  const named = findNamed(names, wanted, (name) => name)
  if (named !== undefined) return named
  return agent === undefined ? "" : yield* new AgentNotOffered({ wanted, offered: names })
})

/** Remembers the agent of a task, for its card and for the defaults of one agent. */
export const remember = Effect.fn("TaskAgent.remember")(function* (
  { openId, userId }: Request,
  { agent, taskId }: Pick<TaskSummary, "taskId"> & { readonly agent?: string | undefined }
) {
  const rows = yield* AgentOfferRows
  if (agent === undefined || Option.isSome(yield* rows.agentOf(taskId))) return
  const isOneOfSeveral = (yield* offeredSoon(userId, openId)).length > 1
  yield* rows.saveAgent(taskId, { name: agent, isOneOfSeveral })
})
