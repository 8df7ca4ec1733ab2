import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Administration from "../Administration.ts"
import { Audit } from "../audit/Audit.ts"
import { Failure } from "./Failure.ts"
import * as Output from "./Output.ts"
import * as Setting from "./Setting.ts"

const list = Command.make(
  "list",
  {
    user: Setting.text("user", "Only events of this user_id"),
    app: Setting.text("app", "Only events of this client_id"),
    since: Setting.text("since", "Only events from then on: 2026-01-31, 2026-01-31T08:00:00Z, or 30m, 24h, 7d ago"),
    data: Setting.dataDir,
    json: Setting.json
  },
  ({ app, data, json, since, user }) =>
    Effect.gen(function* () {
      const from = Option.isSome(since) ? yield* instant(since.value) : 0
      const events = (yield* Audit).list({
        since: from,
        ...(Option.isSome(user) ? { userId: user.value } : {}),
        ...(Option.isSome(app) ? { clientId: app.value } : {})
      })
      yield* Stream.runForEach(events, (event) =>
        json
          ? Output.print(true, {
              at: new Date(event.at).toISOString(),
              action: event.action,
              outcome: event.outcome,
              user_id: event.userId,
              client_id: event.clientId,
              request_id: event.requestId,
              address_hash: event.addressHash
            })
          : Output.line(
              [
                new Date(event.at).toISOString(),
                event.action,
                event.outcome,
                event.userId,
                event.clientId,
                event.requestId
              ]
                .map((word) => word ?? "-")
                .join("  ")
            )
      )
    }).pipe(Effect.provide(Administration.layer(data)))
).pipe(Command.withDescription("List who did what with which application, oldest first"))

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
    : yield* new Failure({ reason: `--since: ${JSON.stringify(text)} is no time. Write 2026-01-31 or 24h.` })
})
