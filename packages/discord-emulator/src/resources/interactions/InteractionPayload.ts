import { maxAttachmentBytes, ChannelKind } from "../../model/Constants.ts"
import type { NewInteraction } from "./InteractionTypes.ts"
import type { StoredInteraction } from "../../model/Records.ts"
import { permissionsIn } from "../../state/Permissions.ts"
import type { Renderer } from "../../render/Renderer.ts"
import type { Store } from "../../state/Store.ts"

/** The data of INTERACTION_CREATE. */
export const renderInteraction = (
  store: Store,
  render: Renderer,
  interaction: StoredInteraction,
  input: NewInteraction
): object => {
  const { guild } = store
  const channel = store.channels.get(input.channelId)
  const isDirectMessage = channel?.type === ChannelKind.dm
  const permissionsOf = (userId: string): string =>
    String(channel === undefined ? 0n : permissionsIn(store, userId, channel))
  const permissions = permissionsOf(input.userId)
  const locale = store.users.get(input.userId)?.locale ?? "en-US"
  const contextFields = isDirectMessage
    ? { user: render.user(input.userId), context: 1 }
    : {
        guild_id: guild.guildId,
        guild: { id: guild.guildId, locale: guild.locale ?? "en-US", features: [] },
        guild_locale: guild.locale ?? "en-US",
        member: { ...render.member(input.userId), permissions },
        context: 0
      }
  return {
    id: interaction.id,
    application_id: guild.applicationId,
    type: input.type,
    token: interaction.token,
    version: 1,
    data: input.data,
    channel_id: input.channelId,
    ...(channel === undefined ? {} : { channel: { ...render.channel(channel), permissions } }),
    ...contextFields,
    locale,
    app_permissions: permissionsOf(guild.botId),
    entitlements: [],
    authorizing_integration_owners: { "0": guild.guildId },
    attachment_size_limit: maxAttachmentBytes,
    ...(input.source === undefined ? {} : { message: render.message(input.source, guild.botId) })
  }
}
