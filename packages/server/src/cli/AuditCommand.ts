import * as Command from "@effect/cli/Command"
import * as Output from "@heddle/command-line/Output"
import * as Setting from "@heddle/command-line/Setting"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Audit } from "../audit/Audit.ts"
import * as DataCommand from "./DataCommand.ts"
import { Failure } from "./Failure.ts"

const list = DataCommand.make(
  "list",
  "List who did what with which application, oldest first",
  {
    user: Setting.optional("user", "Only events of this user_id"),
    app: Setting.optional("app", "Only events of this client_id"),
    since: Setting.optional("since", "Only events from then on: 2026-01-31, 2026-01-31T08:00:00Z, or 30m, 24h, 7d ago")
  },
  Effect.fnUntraced(function* ({ app, since, user }, output) {
    const from = Option.isSome(since) ? yield* instant(since.value) : 0
    const events = (yield* Audit).list({ since: from, ...Setting.definedOnly({ userId: user, clientId: app }) })
    yield* Stream.runForEach(events, (event) => {
      const result = {
        at: new Date(event.at).toISOString(),
        action: event.action,
        outcome: event.outcome,
        user_id: event.userId,
        client_id: event.clientId,
        request_id: event.requestId
      }
      return output.json
        ? output.print({ ...result, address_hash: event.addressHash })
        : Output.line(
            Object.values(result)
              .map((word) => word ?? "-")
              .join("  ")
          )
    })
  })
)

/** `audit list`: the audit log. */
export const command = Command.make("audit").pipe(
  Command.withDescription("Read the audit log"),
  Command.withSubcommands([list])
)

const instant = Effect.fnUntraced(function* (text: string) {
  const ago = /^(\d{1,6})([mhd])$/.exec(text)
  if (ago !== null) {
    const unit = { m: 60_000, h: 3_600_000, d: 86_400_000 }[ago[2] ?? ""] ?? 0
    return Math.max(0, (yield* Clock.currentTimeMillis) - Number(ago[1]) * unit)
  }
  const time = Date.parse(text)
  return /^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(time)
    ? time
    : yield* new Failure({ message: `--since: ${JSON.stringify(text)} is no time. Write 2026-01-31 or 24h.` })
})
