import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { AuditLog } from "../../store/AuditLog.ts"
import type { Messages } from "../../messages/Messages.ts"
import * as View from "../../view/AuditLog.ts"
import * as Pager from "../../view/Pager.ts"
import type { CommandHandler, Component } from "../Command.ts"

/** `/settings audit`: the log of approvals, starts, stops, shares and changes, with person and time. */
export const SettingsAudit: CommandHandler<AuditLog> = {
  path: "settings audit",
  describe: ({ commands }) => ({ ...commands.settingsAudit, options: [] }),
  answers: "privately",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: ({ reply }, messages) => show(reply.guildId ?? "", 1, messages)
}

/** `u1:<page>`: another page of the current log. */
export const SettingsAuditPage: Component<AuditLog> = {
  id: /^u1:\d{1,6}$/,
  answers: "inPlace",
  action: () => Effect.succeed({ _tag: "Settings" }),
  handle: ({ customId, reply }, messages) => show(reply.guildId ?? "", Number(customId.split(":")[1]), messages)
}

const show = Effect.fn("SettingsAudit.show")(function* (guildId: string, requestedPage: number, messages: Messages) {
  const audit = yield* AuditLog
  const { pageSize: size } = View
  const { total } = yield* audit.read(guildId, { skip: 0, size: 0 })
  const page = Pager.nearestPage(requestedPage, { size, total })
  const { entries } = yield* audit.read(guildId, { skip: (page - 1) * size, size })
  return Option.some(View.page(entries, { page, size, total }, messages))
})
