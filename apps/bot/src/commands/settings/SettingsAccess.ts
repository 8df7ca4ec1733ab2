import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Subject } from "../../model/Access.ts"
import { Rules } from "../../store/Rules.ts"
import { TaskHeaders } from "../../outbox/TaskHeaders.ts"
import type { ComponentOrModalSubmit } from "../../discord/DiscordEvent.ts"
import * as View from "../../view/AccessPanel.ts"
import { type CommandHandler, type Component, say } from "../Command.ts"

/** `/settings access`: who may start, reply, approve, stop and spend, by channel, role and person. */
export const SettingsAccess: CommandHandler<Rules> = {
  path: "settings access",
  describe: ({ commands }) => ({ ...commands.settingsAccess, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsAccess.handle")(function* ({ reply }, messages) {
    const rules = yield* (yield* Rules).of(reply.guildId ?? "")
    return Option.some(View.panel(View.initialSelection, rules, messages))
  })
}

/** The controls of the access panel; see {@link View.toCustomId}. */
export const SettingsAccessPanel: Component<Rules | TaskHeaders> = {
  id: /^a1:/,
  answers: "inPlace",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: Effect.fn("SettingsAccess.panel")(function* (event, messages) {
    const { customId, reply } = event
    const guildId = reply.guildId ?? ""
    const found = View.parseCustomId(customId)
    if (found === undefined) return Option.some(say(messages.buttonUnknown))
    const chosen = choose(event, found.selection, found.action)
    const rules = yield* Rules
    if (found.action === "y" || found.action === "n" || found.action === "x") {
      const by = { eventId: reply.id, userId: reply.userId, at: yield* Clock.currentTimeMillis }
      const { capability, channelId, subject } = chosen
      const allow = found.action === "x" ? undefined : found.action === "y"
      yield* rules.set(guildId, { capability, channelId, subject, allow }, by)
      yield* (yield* TaskHeaders).refresh
    }
    return Option.some(View.panel(chosen, yield* rules.of(guildId), messages))
  })
}

const choose = (
  { reply, roles, values }: ComponentOrModalSubmit,
  before: View.Selection,
  verb: View.PanelAction
): View.Selection => {
  const [value] = values
  switch (verb) {
    case "c":
      return { ...before, capability: View.capabilities.find((each) => each === value) ?? before.capability }
    case "w": {
      // The id of the everyone role is the server's id.
      const everyone = value === undefined || value === reply.guildId
      const subject: Subject = everyone
        ? { _tag: "Everyone" }
        : { _tag: roles.includes(value) ? "Role" : "User", id: value }
      return { ...before, subject }
    }
    case "p":
      return { ...before, channelId: value }
    default:
      return before
  }
}
