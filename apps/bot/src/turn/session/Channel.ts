import type { AcpError } from "@heddle/acp/AcpError"
import * as AcpSession from "@heddle/acp/AcpSession"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Accounts, type Service } from "../../access/Accounts.ts"
import { BotSettings } from "../../model/BotSettings.ts"
import { isLateOutput } from "../../store/Inbox.ts"
import type { OpenTurn } from "../OpenTurn.ts"
import { client } from "./AgentClient.ts"
import * as AgentSession from "./AgentSession.ts"
import * as OfferReader from "./OfferReader.ts"

export type ChannelError = Effect.Effect.Error<ReturnType<Service["tasks"]["awaitChannel"]>>

/**
 * The channel of a turn, until the scope ends or longer if it is kept. A turn of late output takes over the channel of the
 * turn before: no other may have the late words and requests.
 */
export const open = Effect.fnUntraced(function* (turn: OpenTurn, taskReader: Service["taskReader"]) {
  const kept = yield* keptChannel(turn)
  if (kept !== undefined) return { channel: yield* AgentSession.takeOver(kept), isTakenOver: true }
  const channel = yield* AgentSession.open(turn.agentSession, turn.lateOutputScope, connect(turn, taskReader))
  yield* Effect.forkIn(closeWithAccount(turn, channel), channel.scope)
  return { channel, isTakenOver: false }
})

/** Closes a kept channel with its account. A running turn closes its channel itself, after the cancellation. */
const closeWithAccount = ({ thread }: OpenTurn, channel: AgentSession.OpenChannel) =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.whileConnected(thread.ownerId, Effect.never, Effect.succeed(undefined))
  ).pipe(
    Effect.catchTag("AccountEnded", () =>
      Effect.suspend(() => (channel.isKept ? Scope.close(channel.scope, Exit.void) : Effect.void))
    )
  )

const keptChannel = Effect.fnUntraced(function* ({ agentSession: { current }, entry, thread }: OpenTurn) {
  if (current === undefined || !isLateOutput(entry)) return undefined
  const accounts = yield* Accounts
  const isSameAccount =
    (yield* accounts.isConnected(thread.ownerId)) && (yield* accounts.openIdOf(thread.ownerId)) === current.openId
  return isSameAccount ? current : undefined
})

/** Connects to a task and loads its session. */
const connect = Effect.fnUntraced(function* ({ thread }: OpenTurn, taskReader: Service["taskReader"]) {
  const settings = yield* BotSettings
  const taskId = TaskId.make(thread.taskId)
  const openId = yield* (yield* Accounts).openIdOf(thread.ownerId)
  const ticket = yield* Ticket.fromChannel(taskReader.awaitChannel(taskId))
  yield* Effect.mapError(ticket.current, causeOf)
  yield* taskReader.shareTicket(taskId, ticket)
  const offerReader = OfferReader.make()
  const acp = yield* AcpSession.open({
    sessionId: taskId,
    ticket,
    ...client,
    extensions: offerReader.extensions,
    questions: true,
    // The rows have deadlines of their own, of a day at most.
    permissionDeadline: "2 days",
    silence: settings.channelSilenceMs,
    // The rows keep the answers, and the policy decides again before the agent gets one.
    repeatAnswers: false
  })
  return { acp, offerReader, openId, ticket }
})

/** The service error behind a ticket error, if there is one: it has a remedy. */
export const causeOf = (error: AcpError): AcpError | ChannelError =>
  error._tag === "TicketError" && isChannelError(error.cause) ? error.cause : error

const isChannelError = (cause: unknown): cause is ChannelError =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag !== "TicketError"
