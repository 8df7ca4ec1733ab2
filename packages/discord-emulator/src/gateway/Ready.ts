import type { Context } from "../context/Context.ts"
import type { Settings } from "../settings/Settings.ts"
import { Intent } from "./Codes.ts"
import type { SessionRecord } from "./SessionStore.ts"

/** The READY payload of a session. Its guild is unavailable until GUILD_CREATE. */
export const renderReady = (
  { origin, render, settings, store }: Context,
  { id, shard }: SessionRecord,
  sharded: boolean,
  handlesGuild: boolean
): object => ({
  v: 10,
  user: { ...render.user(store.guild.botId), verified: true, mfa_enabled: true, email: null },
  user_settings: {},
  guilds: handlesGuild ? [{ id: store.guild.guildId, unavailable: true }] : [],
  session_id: id,
  session_type: "normal",
  resume_gateway_url: origin().replace(/^http/, "ws"),
  ...(sharded ? { shard } : {}),
  application: { id: store.guild.applicationId, flags: applicationFlags(settings) },
  private_channels: [],
  presences: [],
  relationships: [],
  guild_join_requests: [],
  _trace: []
})

/** The flags that tell which privileged intents an application in few servers was granted. */
export const applicationFlags = ({ refusedIntents }: Pick<Settings, "refusedIntents">): number =>
  ((refusedIntents & Intent.guildPresences) === 0 ? 1 << 13 : 0) |
  ((refusedIntents & Intent.guildMembers) === 0 ? 1 << 15 : 0) |
  ((refusedIntents & Intent.messageContent) === 0 ? 1 << 19 : 0)
