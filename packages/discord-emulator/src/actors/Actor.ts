import type { APIMessage } from "discord-api-types/v10"
import type { Context } from "../context/Context.ts"
import { apiErrors } from "../model/DiscordError.ts"
import { ChannelKind, InteractionKind, Permission } from "../model/Constants.ts"
import type { NewInteraction } from "../resources/interactions/InteractionTypes.ts"
import type { UploadedFile } from "../resources/messages/Attachments.ts"
import { openDirectChannel } from "../resources/channels/DirectChannels.ts"
import type { StoredChannel, StoredMessage, StoredUser } from "../model/Records.ts"
import { findMessage } from "../state/Lookups.ts"
import { can, canView } from "../state/Permissions.ts"
import { ActorError, asPerson } from "./ActorError.ts"
import {
  type OptionValue,
  type PickedFile,
  readCommandInput,
  readMessageCommand,
  readUserCommand
} from "./CommandInput.ts"
import { readComponentInput } from "./ComponentInput.ts"
import { InteractionFailed, type InteractionResult, resultOf } from "./InteractionResult.ts"
import { requestAs } from "./Request.ts"
import { type ModalValues, readModalInput } from "./ModalInput.ts"

/** One person, acting through the same rules that the page uses. Every method rejects with a sentence when refused. */
export interface Actor {
  readonly id: string
  readonly username: string
  readonly send: (
    channelId: string,
    content: string,
    files?: ReadonlyArray<PickedFile>,
    options?: { readonly replyTo?: string }
  ) => Promise<APIMessage>
  readonly edit: (channelId: string, messageId: string, content: string) => Promise<APIMessage>
  readonly delete: (channelId: string, messageId: string) => Promise<void>
  readonly react: (channelId: string, messageId: string, emoji: string) => Promise<void>
  readonly unreact: (channelId: string, messageId: string, emoji: string) => Promise<void>
  readonly typing: (channelId: string) => Promise<void>
  /** Runs a slash command; `path` is its words, such as `task new`. */
  readonly command: (
    channelId: string,
    path: string,
    options?: Readonly<Record<string, OptionValue>>
  ) => Promise<InteractionResult>
  /** Uses a command in the menu of a message. */
  readonly messageCommand: (channelId: string, messageId: string, name: string) => Promise<InteractionResult>
  /** Uses a command in the menu of a person or bot. */
  readonly userCommand: (channelId: string, userId: string, name: string) => Promise<InteractionResult>
  /** Opens a post in a forum; the id of the post is that of its first message. */
  readonly post: (
    forumId: string,
    title: string,
    content: string,
    options?: { readonly files?: ReadonlyArray<PickedFile>; readonly tags?: ReadonlyArray<string> }
  ) => Promise<APIMessage>
  readonly press: (channelId: string, messageId: string, customId: string) => Promise<InteractionResult>
  readonly select: (
    channelId: string,
    messageId: string,
    customId: string,
    values: ReadonlyArray<string>
  ) => Promise<InteractionResult>
  /** Answers the modal that an interaction opened. */
  readonly submit: (
    interaction: Pick<InteractionResult, "id">,
    values: ModalValues,
    files?: Readonly<Record<string, ReadonlyArray<PickedFile>>>
  ) => Promise<InteractionResult>
  readonly autocomplete: (
    channelId: string,
    path: string,
    options: Readonly<Record<string, string>>,
    focused: string
  ) => Promise<ReadonlyArray<{ name: string; value: string | number }>>
  /** Opens the direct channel with the bot and gives its id. */
  readonly openDirect: () => Promise<string>
  /** Sends the bot a direct message. */
  readonly direct: (content: string, files?: ReadonlyArray<PickedFile>) => Promise<APIMessage>
  /** Whether the bot may write to this person; it may unless told otherwise. */
  readonly allowDirect: (allow: boolean) => void
  /** The language of this person's client, such as `de`, which interactions tell the bot; `en-US` unless set. */
  readonly speak: (locale: string) => void
  /** Leaves the guild, and comes back. */
  readonly leave: () => Promise<void>
  readonly join: () => Promise<void>
  /**
   * Does what no method here is for with this person's rights: the API of Discord as if it were theirs, such as
   * `request("PUT", "/channels/…/permissions/…", { type: 0, deny: "1024" })`. Gives the JSON of the answer.
   */
  readonly request: (method: string, path: string, body?: unknown) => Promise<unknown>
  /** What only this person sees, oldest first. */
  readonly ephemerals: (channelId?: string) => ReadonlyArray<APIMessage>
}

export const makeActor = (context: Context, id: string): Actor => {
  const { interactions, members, messages, render, transientEvents, threads, store } = context
  const shown = (message: StoredMessage): APIMessage => render.message(message, id)
  const channel = (channelId: string): StoredChannel => {
    const found = store.channels.get(channelId)
    if (found === undefined || !canSee(context, found, id)) throw apiErrors.unknownChannel()
    return found
  }
  const find = (channelId: string, messageId: string): StoredMessage =>
    findMessage(store, channel(channelId).id, messageId, id)

  const setUser = (change: Partial<StoredUser>): void => {
    const user = store.users.get(id)
    if (user !== undefined) store.commit({ kind: "user", value: { ...user, ...change } })
  }

  /** Commands need the right to use them, and threads have to be open. */
  const requireCommands = (channelId: string): void => {
    const place = channel(channelId)
    if (!can(store, id, Permission.useCommands, place)) throw apiErrors.missingPermissions()
    if (place.thread?.archived === true) throw apiErrors.archived()
  }

  const open = async (input: Omit<NewInteraction, "userId">): Promise<InteractionResult> => {
    const result = resultOf(context, id, await interactions.create({ ...input, userId: id }))
    if (result.type === "failed") throw new InteractionFailed(result)
    return result
  }

  const use = async (
    channelId: string,
    messageId: string,
    customId: string,
    values?: ReadonlyArray<string>
  ): Promise<InteractionResult> => {
    const input = asPerson(() => {
      const source = find(channelId, messageId)
      return {
        channelId,
        type: InteractionKind.component,
        data: readComponentInput(context, source, customId, values),
        source
      }
    })
    return open(input)
  }

  const react = (channelId: string, messageId: string, emoji: string, add: boolean): void =>
    asPerson(() => messages.react(find(channelId, messageId), id, emoji, add))

  return {
    id,
    username: store.users.get(id)?.username ?? id,
    send: async (channelId, content, files = [], options = {}) =>
      asPerson(() => {
        const reference = options.replyTo === undefined ? {} : { message_reference: { message_id: options.replyTo } }
        const draft = { channelId: channel(channelId).id, authorId: id }
        return shown(messages.create(draft, { content, ...reference }, files.map(uploaded)))
      }),
    edit: async (channelId, messageId, content) =>
      asPerson(() => shown(messages.edit(find(channelId, messageId), id, { content }, []))),
    delete: async (channelId, messageId) => asPerson(() => messages.delete(find(channelId, messageId), id)),
    react: async (channelId, messageId, emoji) => react(channelId, messageId, emoji, true),
    unreact: async (channelId, messageId, emoji) => react(channelId, messageId, emoji, false),
    typing: async (channelId) =>
      asPerson(() => transientEvents.emit({ type: "typing", channelId: channel(channelId).id, userId: id })),
    command: async (channelId, path, options = {}) => {
      const input = asPerson(() => {
        requireCommands(channelId)
        return readCommandInput(context, id, { path, options })
      })
      return open({ channelId, type: InteractionKind.command, data: input.data, commandName: input.name })
    },
    messageCommand: async (channelId, messageId, name) => {
      const data = asPerson(() => readMessageCommand(context, id, find(channelId, messageId), name))
      return open({ channelId, type: InteractionKind.command, data, commandName: name, target: { messageId } })
    },
    userCommand: async (channelId, userId, name) => {
      const data = asPerson(() => {
        requireCommands(channelId)
        return readUserCommand(context, id, userId, name)
      })
      return open({ channelId, type: InteractionKind.command, data, commandName: name, target: { userId } })
    },
    post: async (forumId, title, content, { files = [], tags = [] } = {}) =>
      asPerson(() => {
        const forum = channel(forumId)
        if (forum.type !== ChannelKind.forum) throw new ActorError("This channel is not a forum")
        const body = { name: title, applied_tags: tags, message: { content } }
        return shown(threads.createPost(forum, id, body, files.map(uploaded)).message)
      }),
    press: (channelId, messageId, customId) => use(channelId, messageId, customId),
    select: (channelId, messageId, customId, values) => use(channelId, messageId, customId, values),
    submit: async ({ id: interactionId }, values, files) => {
      const input = asPerson(() => {
        const from = store.interactions.get(interactionId)
        if (from?.modal === undefined || from.userId !== id) throw new ActorError("There is no open modal")
        const source = from.sourceId === undefined ? undefined : store.messages.get(from.channelId, from.sourceId)
        const data = readModalInput(context, from.modal, values, files)
        return {
          channelId: from.channelId,
          type: InteractionKind.modal,
          data,
          openedBy: from,
          ...(source === undefined ? {} : { source })
        }
      })
      return open(input)
    },
    autocomplete: async (channelId, path, options, focused) => {
      const input = asPerson(() => {
        channel(channelId)
        return readCommandInput(context, id, { path, options, focused })
      })
      const answer = await interactions.create({
        userId: id,
        channelId,
        type: InteractionKind.autocomplete,
        data: input.data,
        commandName: input.name
      })
      if (answer.type !== "choices") throw new InteractionFailed(resultOf(context, id, answer))
      return [...(answer.choices ?? [])]
    },
    openDirect: async () => asPerson(() => openDirectChannel(store, id).id),
    direct: async (content, files = []) =>
      asPerson(() => {
        const draft = { channelId: openDirectChannel(store, id).id, authorId: id }
        return shown(messages.create(draft, { content }, files.map(uploaded)))
      }),
    allowDirect: (allow) => setUser({ refusesDirect: !allow }),
    speak: (locale) => setUser({ locale }),
    leave: async () => asPerson(() => members.remove(members.find(id), id)),
    join: async () => members.join(id),
    request: async (method, path, body) => asPerson(() => requestAs(context, id, method, path, body)),
    ephemerals: (channelId) => {
      const channels = channelId === undefined ? [...store.channels.keys()] : [channelId]
      return channels.flatMap((one) =>
        store.messages
          .in(one)
          .filter((message) => message.visibleTo === id)
          .map(shown)
      )
    }
  }
}

/** Whether a person sees a channel: direct ones only with the bot, others as permissions have it. */
export const canSee = ({ store }: Context, channel: StoredChannel, userId: string): boolean =>
  canView(store, userId, channel)

const uploaded = (file: PickedFile, index: number): UploadedFile => ({
  field: String(index),
  name: file.name,
  data: file.data,
  contentType: file.contentType
})
