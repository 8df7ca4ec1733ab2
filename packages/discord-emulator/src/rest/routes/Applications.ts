import type { Context } from "../../context/Context.ts"
import { applicationFlags } from "../../gateway/Ready.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { Store } from "../../state/Store.ts"
import { Form } from "../../validate/Form.ts"
import { ok, param, type Route, route } from "../routing/Router.ts"

/** The application itself. */
export const applicationRoutes = (context: Context): ReadonlyArray<Route> => {
  const { store } = context
  const application = () => ok(renderApplication(context))
  return [
    route("GET", "/applications/@me", application),
    route("GET", "/oauth2/applications/@me", application),
    route("PATCH", "/applications/@me", ({ json }) => {
      modifyApplication(store, json)
      return application()
    }),
    route("GET", "/applications/:application/emojis", (call) => {
      if (param(call, "application") !== store.guild.applicationId) throw apiErrors.unknownApplication()
      return ok({ items: [] })
    })
  ]
}

const renderApplication = ({ render, settings, store }: Context): object => ({
  id: store.guild.applicationId,
  name: store.users.get(store.guild.botId)?.username ?? "Bot",
  icon: null,
  description: "",
  type: null,
  bot: render.user(store.guild.botId),
  bot_public: true,
  bot_require_code_grant: false,
  verify_key: "0".repeat(64),
  owner: render.user(store.guild.ownerId),
  team: null,
  flags: applicationFlags(settings),
  flags_new: String(applicationFlags(settings)),
  approximate_guild_count: 1,
  approximate_user_install_count: 0,
  approximate_user_authorization_count: 0,
  explicit_content_filter: 0,
  eligible_oauth2_scopes: ["bot", "applications.commands"],
  redirect_uris: [],
  interactions_endpoint_url: null,
  role_connections_verification_url: null,
  integration_types_config: {},
  ...store.guild.application
})

const modifyApplication = (store: Store, body: unknown): void => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  form.text(fields, "description", [], { max: 400 })
  const tags = form.list(fields, "tags", [], { max: 5 })
  tags?.forEach((_, index) => form.text({ ...tags }, String(index), ["tags"], { min: 1, max: 20 }))
  for (const key of urlFields) form.text(fields, key, [], { max: 2048 })
  form.addUnsupportedErrors(fields, unsupportedFields)
  form.throwIfInvalid()
  const present = ["description", "tags", ...urlFields].filter((key) => (fields[key] ?? null) !== null)
  const changed = Object.fromEntries(present.map((key) => [key, fields[key]]))
  const { guild } = store
  // The journal on disk calls the record of the guild and its application "realm".
  store.commit({ kind: "realm", value: { ...guild, application: { ...guild.application, ...changed } } })
}

const urlFields = ["custom_install_url", "role_connections_verification_url"]

/** Pictures, and the addresses to which Discord would send events instead of the gateway. */
const unsupportedFields = [
  "icon",
  "cover_image",
  "interactions_endpoint_url",
  "event_webhooks_url",
  "event_webhooks_status",
  "event_webhooks_types",
  "install_params",
  "integration_types_config",
  "flags"
]
