import type { APIWebhook } from "discord-api-types/v10"
import type { StoredWebhook } from "../model/Records.ts"
import type { Store } from "../state/Store.ts"
import { checkedAs } from "../validate/Form.ts"
import { renderUser } from "./RenderUser.ts"

export interface RenderWebhookOptions {
  /** Adds the user who created the webhook; Discord leaves it out in requests by token. */
  readonly withUser: boolean
}

/** The webhook object. `origin` starts its address. */
export const renderWebhook = (
  store: Store,
  origin: string,
  webhook: StoredWebhook,
  { withUser }: RenderWebhookOptions
): APIWebhook =>
  checkedAs({
    id: webhook.id,
    type: 1,
    name: webhook.name,
    avatar: null,
    channel_id: webhook.channelId,
    guild_id: store.guild.guildId,
    application_id: null,
    ...webhookOwner(store, webhook.id),
    token: webhook.token,
    url: `${origin}/api/webhooks/${webhook.id}/${webhook.token}`,
    ...(withUser ? { user: renderUser(store, webhook.creatorId) } : {})
  })

/** The application id that a webhook and its messages carry when the application created the webhook. */
export const webhookOwner = (store: Store, webhookId: string): { readonly application_id?: string } =>
  store.webhooks.get(webhookId)?.creatorId === store.guild.botId ? { application_id: store.guild.applicationId } : {}
