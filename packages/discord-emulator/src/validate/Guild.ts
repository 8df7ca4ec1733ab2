import { Form } from "./Form.ts"
import { isLocale } from "./Localizations.ts"

/** The checked body that modifies a guild; absent fields stay as they are. */
export interface GuildChange {
  readonly name?: string
  readonly preferred_locale?: string
  readonly [key: string]: unknown
}

/** The numeric fields and their largest values. */
const maxValues = {
  verification_level: 4,
  default_message_notifications: 1,
  explicit_content_filter: 2,
  system_channel_flags: 2 ** 31 - 1
} as const

const channelFields = ["afk_channel_id", "system_channel_id", "rules_channel_id", "public_updates_channel_id"]

/** Checks the body that modifies a guild; pictures and features are not supported. */
export const readGuild = (body: unknown): GuildChange => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 2, max: 100 })
  const locale = form.text(fields, "preferred_locale", [], { max: 10 })
  if (locale !== undefined && !isLocale(locale))
    form.addError(["preferred_locale"], "BASE_TYPE_CHOICES", "Value must be one of Discord's locales.")
  const change: Record<string, unknown> = {}
  for (const [key, max] of Object.entries(maxValues)) {
    const level = form.integer(fields, key, [], { min: 0, max })
    if (level !== undefined) change[key] = level
  }
  for (const key of channelFields) if (key in fields) change[key] = form.id(fields, key, []) ?? null
  const timeout = form.choice(fields, "afk_timeout", [], [60, 300, 900, 1800, 3600])
  if (timeout !== undefined) change["afk_timeout"] = timeout
  if ("description" in fields) change["description"] = form.text(fields, "description", [], { max: 300 }) ?? null
  if (typeof fields["premium_progress_bar_enabled"] === "boolean")
    change["premium_progress_bar_enabled"] = fields["premium_progress_bar_enabled"]
  form.addUnsupportedErrors(fields, [
    "icon",
    "splash",
    "discovery_splash",
    "banner",
    "features",
    "safety_alerts_channel_id"
  ])
  form.throwIfInvalid()
  return {
    ...change,
    ...(name === undefined ? {} : { name }),
    ...(locale === undefined ? {} : { preferred_locale: locale })
  }
}
