import { methods, RequestError, type PermissionOption, type RequestPermissionResponse } from "@agentclientprotocol/sdk"
import { toolFields, type ToolCall } from "./SessionUpdates.ts"
import type { SessionWriter } from "./SessionWriter.ts"

/** What became of a permission request. */
export type Permission = "allowed" | "denied" | "cancelled"

const OPTIONS: Array<PermissionOption> = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "always", name: "Always allow in this session", kind: "allow_always" },
  { optionId: "deny", name: "Deny", kind: "reject_once" }
]

/** Asks for permission to do what a tool call describes; a permission for the session is not asked for again. */
export const askPermission = async (
  { client, cwd, session, signal }: SessionWriter,
  call: ToolCall
): Promise<Permission> => {
  if (session.alwaysAllowed) return "allowed"
  try {
    const { outcome }: RequestPermissionResponse = await client.request(
      methods.client.session.requestPermission,
      { sessionId: session.sessionId, toolCall: toolFields(call, cwd), options: OPTIONS },
      { cancellationSignal: signal, stopWaitingOnCancel: true }
    )
    if (outcome.outcome !== "selected") return "cancelled"
    if (outcome.optionId === "always") session.alwaysAllowed = true
    return outcome.optionId === "deny" ? "denied" : "allowed"
  } catch (error) {
    if (signal.aborted || (error instanceof RequestError && error.code === CANCELLED)) return "cancelled"
    // A client that cannot ask its user has not given permission.
    if (error instanceof RequestError) return "denied"
    throw error
  }
}

const CANCELLED = -32800
