import * as AcpSession from "@heddle/acp/AcpSession"
import * as Ticket from "@heddle/acp/Ticket"
import { TaskId } from "@heddle/core/domain/Task"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import { Accounts, type Service } from "../../access/Accounts.ts"
import * as Trigger from "../../concurrency/Trigger.ts"
import { BotSettings } from "../../model/BotSettings.ts"
import { isLateOutput } from "../../store/Inbox.ts"
import { Turns } from "../../store/Turns.ts"
import type { Failure } from "../Failure.ts"
import { mayHavePrompt, type OpenTurn, rowOf } from "../OpenTurn.ts"
import { client } from "./AgentClient.ts"
import * as OfferReader from "./OfferReader.ts"
import * as ThreadChannel from "./ThreadChannel.ts"

type OpenChannel = ThreadChannel.OpenChannel

type ChannelError = Effect.Effect.Error<ReturnType<Service["tasks"]["awaitChannel"]>>

/**
 * The channel of a turn, until the scope ends or longer if it is kept. A turn goes on with the channel of the turn before:
 * no other may have the late words and requests.
 */
export const open = Effect.fnUntraced(function* (turn: OpenTurn, taskReader: Service["taskReader"]) {
  const { ownerScope, threadChannel } = turn
  const { current } = threadChannel
  const isUsable = current !== undefined && !(yield* needsHistory(turn)) && (yield* isSameAccount(turn.thread, current))
  if (isUsable && current.isKept && threadChannel.current === current)
    return { channel: yield* ThreadChannel.takeOver(current), isTakenOver: true }
  yield* ThreadChannel.close(threadChannel)
  const channel = yield* ThreadChannel.open(threadChannel, ownerScope, connect(turn, taskReader))
  yield* Scope.extend(closeWithAccount(turn, channel), channel.scope)
  return { channel, isTakenOver: false }
})

/**
 * Closes a kept channel with its account, and when its owner connects an account that is not known to be the same. A
 * running turn closes its channel itself, after the cancellation.
 */
const closeWithAccount = Effect.fnUntraced(function* (
  { thread: { ownerId }, threadChannel }: OpenTurn,
  channel: OpenChannel
) {
  const accounts = yield* Accounts
  let hasEnded = false
  const close = Effect.suspend(() => (channel.isKept ? ThreadChannel.end(threadChannel, channel) : Effect.void))
  const closeIfEnded = yield* Trigger.make(
    Effect.suspend(() => {
      if (hasEnded) return close
      const openId = accounts.openIdOf(ownerId)
      return Effect.flatMap(openId, (openId) =>
        openId === undefined || openId !== channel.openId ? close : Effect.void
      )
    })
  )
  yield* accounts.onConnection(ownerId, closeIfEnded)
  yield* accounts.beginWork(ownerId, (finish) => {
    hasEnded = channel.isKept
    // A turn that begins meanwhile, on the next account, must not take it over.
    if (hasEnded && threadChannel.current === channel) threadChannel.current = undefined
    closeIfEnded()
    finish(undefined)
  })
})

/** Whether a turn looks for a prompt that may be on its way: this client's own session holds it, arrived or not. */
const needsHistory = Effect.fnUntraced(function* (turn: OpenTurn) {
  const { entry, thread } = turn
  if (isLateOutput(entry)) return false
  if (mayHavePrompt(entry, yield* rowOf(turn))) return true
  const turns = yield* Turns
  const resent = Option.toArray(yield* turns.resentBy(thread.threadId, entry.eventId))
  const unknown = [...resent, ...(yield* turns.offeringResend(thread.threadId))]
  return unknown.some(({ baseline }) => baseline !== undefined)
})

const isSameAccount = Effect.fnUntraced(function* ({ ownerId }: OpenTurn["thread"], { openId }: OpenChannel) {
  const accounts = yield* Accounts
  return (yield* accounts.isConnected(ownerId)) && !(yield* accounts.isAnother(ownerId, openId))
})

/** Connects to a task and loads its session. */
const connect = Effect.fnUntraced(function* ({ thread }: OpenTurn, taskReader: Service["taskReader"]) {
  const settings = yield* BotSettings
  const taskId = TaskId.make(thread.taskId)
  const openId = yield* (yield* Accounts).openIdOf(thread.ownerId)
  const ticket = yield* Ticket.fromChannel(taskReader.awaitChannel(taskId))
  yield* ticket.current
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
export const causeOf = (error: Failure): Failure =>
  error._tag === "TicketError" && isChannelError(error.cause) ? error.cause : error

const isChannelError = (cause: unknown): cause is ChannelError =>
  typeof cause === "object" && cause !== null && "_tag" in cause && cause._tag !== "TicketError"
