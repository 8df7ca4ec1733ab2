import * as Language from "../format/Language.ts"
import { methods, RequestError, type PermissionOption, type RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { toolFields, type ToolCall } from "./SessionUpdates.ts"
import type { SessionWriter } from "./SessionWriter.ts"

/** How a permission request ended. */
export type PermissionOutcome = "allowed" | "denied" | "cancelled"

const options = (): Array<PermissionOption> => [
  { optionId: "allow", name: Language.text("Allow", "允许"), kind: "allow_once" },
  {
    optionId: "always",
    name: Language.text("Always allow in this session", "始终允许（仅本会话）"),
    kind: "allow_always"
  },
  { optionId: "deny", name: Language.text("Deny", "拒绝"), kind: "reject_once" }
]

/** Asks for permission to run a tool call, unless the person has allowed every write of the session. */
export const askPermission = async (
  { client, cwd, session, signal }: SessionWriter,
  call: ToolCall
): Promise<PermissionOutcome> => {
  if (session.alwaysAllowed) return "allowed"
  try {
    const { outcome }: RequestPermissionResponse = await client.request(
      methods.client.session.requestPermission,
      { sessionId: session.sessionId, toolCall: toolFields(call, cwd), options: options() },
      { cancellationSignal: signal, stopWaitingOnCancel: true }
    )
    if (outcome.outcome !== "selected") return "cancelled"
    if (outcome.optionId === "always") session.alwaysAllowed = true
    return outcome.optionId === "deny" ? "denied" : "allowed"
  } catch (error) {
    if (signal.aborted || (error instanceof RequestError && error.code === REQUEST_CANCELLED)) return "cancelled"
    // A client that cannot ask its user has not given permission.
    if (error instanceof RequestError) return "denied"
    throw error
  }
}

const REQUEST_CANCELLED = -32800
