import { Permission } from "./Codes.ts"
import type { World } from "./World.ts"

/** The guild object with its two roles. */
export const renderGuild = (world: World): Record<string, unknown> => {
  const { realm } = world
  const role = (id: string, name: string, permissions: string, position: number, managed: boolean) => ({
    id,
    name,
    permissions,
    position,
    managed,
    color: 0,
    colors: { primary_color: 0, secondary_color: null, tertiary_color: null },
    hoist: false,
    icon: null,
    unicode_emoji: null,
    mentionable: false,
    flags: 0,
    ...(managed ? { tags: { bot_id: realm.botId } } : {})
  })
  return {
    id: realm.guildId,
    name: realm.guildName,
    icon: null,
    icon_hash: null,
    splash: null,
    discovery_splash: null,
    owner_id: realm.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 0,
    explicit_content_filter: 0,
    roles: [
      role(realm.everyoneRoleId, "@everyone", Permission.everyone, 0, false),
      role(realm.botRoleId, world.users.get(realm.botId)?.username ?? "Bot", Permission.all, 1, true)
    ],
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
    preferred_locale: realm.locale ?? "en-US",
    public_updates_channel_id: null,
    nsfw: false,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    safety_alerts_channel_id: null,
    incidents_data: null,
    region: "us-east",
    max_members: 25_000_000
  }
}
