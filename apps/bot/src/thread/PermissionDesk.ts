import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Permission from "@heddle/acp/Permission"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { reference } from "../Reference.ts"
import { oneLine } from "../view/Fit.ts"
import { type PermissionRow, Permissions } from "./Permissions.ts"
import { detail } from "./Projection.ts"

/**
 * Brings the rows of a turn and the requests of its session together: new requests get a row,
 * answered rows are handed to the agent. Requests are recognised by their tool call, since their ids change
 * with every connection. Returns the rows as they are then.
 */
export const sync = Effect.fn("PermissionDesk.sync")(function* (
  session: AcpSession,
  turn: { readonly turnId: string; readonly threadId: string }
): Effect.fn.Return<ReadonlyArray<PermissionRow>, never, Permissions> {
  const permissions = yield* Permissions
  const state = yield* session.state
  const now = yield* Clock.currentTimeMillis
  for (const { options, requestId, toolCall: asked } of state.permissions) {
    if (asked === undefined) continue
    const { toolCallId } = asked
    const known = state.entries.find((entry) => entry._tag === "ToolCall" && entry.toolCallId === toolCallId)
    const toolCall = known?._tag === "ToolCall" ? known : undefined
    const row = yield* permissions.ask(
      {
        permissionId: reference() + reference(),
        turnId: turn.turnId,
        threadId: turn.threadId,
        toolCallId,
        // The request's own words first: the tool call may have moved on, or be shared with another request.
        title: oneLine(asked.title ?? toolCall?.title ?? "", 200) || "Use a tool",
        detail: detail({
          content: asked.content ?? toolCall?.content,
          locations: asked.locations ?? toolCall?.locations,
          rawInput: asked.rawInput ?? toolCall?.rawInput
        }),
        options: options.map(({ kind, name, optionId }) => ({ optionId, name, kind }))
      },
      now
    )
    const option = row.optionIndex === undefined ? undefined : row.options[row.optionIndex]
    if (row.state !== "answered" || option === undefined) continue
    yield* session.answerPermission(requestId, Permission.selected(option.optionId)).pipe(
      // Withdrawn in this moment; its withdrawal is on its way.
      Effect.catchTag("AlreadyAnswered", () => Effect.void),
      Effect.catchTag("InvalidChoice", (error) =>
        Effect.logWarning("An answer does not fit the request any more", error.description)
      )
    )
    yield* permissions.markSent(row.permissionId)
  }
  return yield* permissions.ofTurn(turn.turnId)
})

/** Closes the row of a request that the agent withdrew. */
export const withdraw = Effect.fn("PermissionDesk.withdraw")(function* (turnId: string, toolCallId: string) {
  const permissions = yield* Permissions
  const rows = yield* permissions.ofTurn(turnId)
  for (const row of rows) if (row.toolCallId === toolCallId) yield* permissions.withdraw(row.permissionId)
  return yield* permissions.ofTurn(turnId)
})
