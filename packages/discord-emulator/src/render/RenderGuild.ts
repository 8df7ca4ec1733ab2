import type { APIRole } from "discord-api-types/v10"
import { checkedAs } from "../validate/Form.ts"
import type { StoredRole } from "../model/Records.ts"
import type { Store } from "../state/Store.ts"

/** The role object of Discord's API. */
export const renderRole = (store: Store, role: StoredRole): APIRole =>
  checkedAs({
    id: role.id,
    name: role.managed ? (store.users.get(store.guild.botId)?.username ?? "Bot") : role.name,
    permissions: role.permissions,
    position: role.position,
    managed: role.managed,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: role.hoist,
    icon: null,
    unicode_emoji: null,
    mentionable: role.mentionable,
    flags: 0,
    ...(role.managed ? { tags: { bot_id: store.guild.botId } } : {})
  })

/** The guild object with its roles. */
export const renderGuild = (store: Store): Record<string, unknown> => {
  const { guild } = store
  return {
    id: guild.guildId,
    name: guild.guildName,
    icon: null,
    splash: null,
    discovery_splash: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [...store.roles.values()].map((role) => renderRole(store, role)),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    vanity_url_code: null,
    description: null,
    banner: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.locale ?? "en-US",
    public_updates_channel_id: null,
    nsfw: false,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
    incidents_data: null,
    region: "us-east",
    home_header: null,
    widget_enabled: false,
    widget_channel_id: null,
    max_members: 25_000_000,
    max_presences: null,
    max_video_channel_users: 25,
    max_stage_video_channel_users: 50,
    ...guild.guild
  }
}
