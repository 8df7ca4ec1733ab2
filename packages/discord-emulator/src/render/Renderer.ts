import type { APIAttachment, APIChannel, APIMessage, APIRole, APIUser, APIWebhook } from "discord-api-types/v10"
import type { StoredAttachment, StoredChannel, StoredMessage, StoredRole, StoredWebhook } from "../model/Records.ts"
import type { Store } from "../state/Store.ts"
import { renderAttachment } from "./RenderAttachment.ts"
import { renderChannel } from "./RenderChannel.ts"
import { renderGuild, renderRole } from "./RenderGuild.ts"
import { renderMessage } from "./RenderMessage.ts"
import { renderMember, renderUser } from "./RenderUser.ts"
import { renderWebhook, type RenderWebhookOptions } from "./RenderWebhook.ts"

/** Turns records into the objects of Discord's API. */
export interface Renderer {
  readonly user: (id: string) => APIUser
  readonly member: (id: string) => Record<string, unknown>
  readonly role: (role: StoredRole) => APIRole
  /** `viewerId` adds the viewer's thread membership, and chooses the recipient of a direct channel. */
  readonly channel: (channel: StoredChannel, viewerId?: string) => APIChannel
  readonly webhook: (webhook: StoredWebhook, options: RenderWebhookOptions) => APIWebhook
  /** `viewerId` decides `me` of the reactions. */
  readonly message: (message: StoredMessage, viewerId: string) => APIMessage
  readonly attachment: (channelId: string, attachment: StoredAttachment) => APIAttachment
  readonly guild: () => Record<string, unknown>
}

/** Renders records of `store`; `origin` starts the addresses of files and webhooks. */
export const makeRenderer = (store: Store, origin: () => string): Renderer => ({
  user: (id) => renderUser(store, id),
  member: (id) => renderMember(store, id),
  role: (role) => renderRole(store, role),
  channel: (channel, viewerId) => renderChannel(store, channel, viewerId),
  webhook: (webhook, options) => renderWebhook(store, origin(), webhook, options),
  message: (message, viewerId) => renderMessage({ store, origin: origin(), viewerId }, message),
  attachment: (channelId, attachment) => renderAttachment(origin(), channelId, attachment),
  guild: () => renderGuild(store)
})
