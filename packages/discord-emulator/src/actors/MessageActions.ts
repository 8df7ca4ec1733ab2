import type { APIMessage } from "discord-api-types/v10"
import { ChannelKind } from "../model/Constants.ts"
import type { StoredMessage } from "../model/Records.ts"
import { openDirectChannel } from "../resources/channels/DirectChannels.ts"
import type { UploadedFile } from "../resources/messages/Attachments.ts"
import type { Actor } from "./Actor.ts"
import { ActorError, withActorErrors } from "./ActorError.ts"
import { type ActorScope, visibleChannel, visibleMessage } from "./ActorScope.ts"
import type { PickedFile } from "./CommandInput.ts"

/** What a person does with messages. */
type MessageActions = Pick<
  Actor,
  "send" | "edit" | "delete" | "react" | "unreact" | "typing" | "post" | "direct" | "ephemerals"
>

export const messageActions = (scope: ActorScope): MessageActions => {
  const { context, id } = scope
  const { messages, render, store, threads, transientEvents } = context
  const renderForActor = (message: StoredMessage): APIMessage => render.message(message, id)
  const react = (channelId: string, messageId: string, emoji: string, isAdded: boolean): void =>
    withActorErrors(() => messages.react(visibleMessage(scope, channelId, messageId), id, emoji, isAdded))
  return {
    send: async (channelId, content, files = [], { replyTo } = {}) =>
      withActorErrors(() => {
        const reference = replyTo === undefined ? {} : { message_reference: { message_id: replyTo } }
        const draft = { channelId: visibleChannel(scope, channelId).id, authorId: id }
        const body = { content, nonce: store.ids.next(), ...reference }
        return renderForActor(messages.create(draft, body, files.map(toUploadedFile)))
      }),
    edit: async (channelId, messageId, content) =>
      withActorErrors(() =>
        renderForActor(messages.edit(visibleMessage(scope, channelId, messageId), id, { content }, []))
      ),
    delete: async (channelId, messageId) =>
      withActorErrors(() => messages.delete(visibleMessage(scope, channelId, messageId), id)),
    react: async (channelId, messageId, emoji) => react(channelId, messageId, emoji, true),
    unreact: async (channelId, messageId, emoji) => react(channelId, messageId, emoji, false),
    typing: async (channelId) =>
      withActorErrors(() => {
        transientEvents.emit({ type: "typing", channelId: visibleChannel(scope, channelId).id, userId: id })
      }),
    post: async (forumId, title, content, { files = [], tags = [] } = {}) =>
      withActorErrors(() => {
        const forum = visibleChannel(scope, forumId)
        if (forum.type !== ChannelKind.forum) throw new ActorError("This channel is not a forum")
        const body = { name: title, applied_tags: tags, message: { content } }
        return renderForActor(threads.createPost(forum, id, body, files.map(toUploadedFile)).message)
      }),
    direct: async (content, files = []) =>
      withActorErrors(() => {
        const draft = { channelId: openDirectChannel(store, id).id, authorId: id }
        return renderForActor(messages.create(draft, { content, nonce: store.ids.next() }, files.map(toUploadedFile)))
      }),
    ephemerals: (channelId) => {
      const channelIds = channelId === undefined ? [...store.channels.keys()] : [channelId]
      const stored = channelIds.flatMap((each) => store.messages.in(each))
      return stored.filter((message) => message.visibleTo === id).map(renderForActor)
    }
  }
}

const toUploadedFile = (file: PickedFile, index: number): UploadedFile => ({
  field: String(index),
  name: file.name,
  data: file.data,
  contentType: file.contentType
})
