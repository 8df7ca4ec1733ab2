import type { APIUser } from "discord-api-types/v10"
import type { StoredUser } from "../model/Records.ts"
import type { Store } from "../state/Store.ts"
import { checkedAs } from "../validate/Form.ts"

/** The user object; an unknown id gives the placeholder that Discord shows for deleted accounts. */
export const renderUser = (store: Store, id: string): APIUser => userObject(store.users.get(id) ?? deletedUser(id))

/** The user object of a webhook, which carries the name that the message was sent under. */
export const renderWebhookUser = (id: string, name: string): APIUser =>
  userObject({ id, username: name, globalName: null, bot: true, avatarColor: "#4d5a6b" })

/** The guild member object, with its user. */
export const renderMember = (store: Store, id: string): Record<string, unknown> => {
  const stored = store.members.get(id)
  return {
    user: renderUser(store, id),
    nick: stored?.nick ?? null,
    avatar: null,
    banner: null,
    roles: stored?.roleIds ?? [],
    joined_at: stored?.joinedAt ?? store.guild.createdAt,
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
    pending: false,
    communication_disabled_until: stored?.timeoutUntil ?? null
  }
}

const userObject = (user: StoredUser): APIUser =>
  checkedAs({
    id: user.id,
    username: user.username,
    discriminator: user.bot ? botDiscriminator(user.id) : "0",
    global_name: user.globalName,
    avatar: null,
    avatar_decoration_data: null,
    collectibles: null,
    banner: null,
    accent_color: null,
    primary_guild: null,
    public_flags: 0,
    flags: 0,
    ...(user.bot ? { bot: true } : {})
  })

/** Bots have four digits; "0000" is the one of webhooks. */
const botDiscriminator = (id: string): string => String((BigInt(id) % 9999n) + 1n).padStart(4, "0")

const deletedUser = (id: string): StoredUser => ({
  id,
  username: "deleted_user",
  globalName: "Deleted User",
  bot: false,
  avatarColor: "#4d5a6b"
})
