import { refuse } from "../../model/DiscordError.ts"
import type { MessageBody } from "../../validate/MessageBody.ts"
import { ChannelKind, Permission } from "../../model/Constants.ts"
import type { StoredChannel } from "../../model/Records.ts"
import { can, demand } from "../../state/Permissions.ts"
import type { World } from "../../state/World.ts"

/** A message on its way: who sends what. */
interface Sending {
  readonly authorId: string
  readonly body: MessageBody
  readonly files: number
}

/** Refuses messages where none can be, or not by this sender, or not now. */
export const demandWriting = (world: World, channel: StoredChannel, { authorId, body, files }: Sending): void => {
  if (channel.recipientId !== undefined) return demandDirect(world, channel, authorId)
  const sending = channel.thread === undefined ? Permission.sendMessages : Permission.sendInThreads
  demand(world, authorId, sending, channel)
  if (files > 0) demand(world, authorId, Permission.attachFiles, channel)
  if (body.embeds?.length) demand(world, authorId, Permission.embedLinks, channel)
  if (body.replyTo !== undefined && !can(world, authorId, Permission.readHistory, channel)) throw refuse.noHistory()
  demandUnlocked(world, channel, authorId)
  demandPause(world, channel, authorId)
}

/** Refuses 160005 in a locked thread, unless the user moderates threads. */
export const demandUnlocked = (world: World, channel: StoredChannel, userId: string): void => {
  if (channel.thread?.locked === true && !can(world, userId, Permission.manageThreads, channel))
    throw refuse.threadLocked()
}

/** Refuses messages in channels that hold none. */
export const demandTextual = ({ type }: StoredChannel): void => {
  if (type === ChannelKind.forum || type === ChannelKind.category) throw refuse.notTextual()
}

const demandDirect = (world: World, channel: StoredChannel, authorId: string): void => {
  demand(world, authorId, Permission.sendMessages, channel)
  if (authorId !== world.realm.botId || channel.recipientId === undefined) return
  if (world.users.get(channel.recipientId)?.refusesDirect === true) throw refuse.cannotMessageUser()
  if (!world.members.has(channel.recipientId)) throw refuse.noSharedGuild()
}

/** Slow mode stops people, but neither bots nor who may pass it. */
const demandPause = (world: World, channel: StoredChannel, authorId: string): void => {
  if (channel.slowmode === 0 || world.users.get(authorId)?.bot === true) return
  if (can(world, authorId, Permission.bypassSlowmode, channel)) return
  const last = world.messagesIn(channel.id).findLast((message) => message.authorId === authorId)
  if (last !== undefined && world.clock.now() - Date.parse(last.timestamp) < channel.slowmode * 1000)
    throw refuse.slowmode()
}
