/** A row of the API document that no client request can cause. */
export interface Unreachable {
  readonly row: string
  readonly section: string
  readonly decisions: ReadonlyArray<number>
  readonly reason: string
}

/** The rows that the suite does not check, with the reason. */
export const unreachable: ReadonlyArray<Unreachable> = [
  row("7.1", "400 authorization_pending", "the endpoint that issues device codes is not shown", 47),
  row("7.1", "400 slow_down", "the endpoint that issues device codes is not shown", 47, 48),
  row("7.1", "400 expired_token", "the endpoint that issues device codes is not shown", 47),
  row("7.1", "401 unauthorized_client", "only the device flow returns it, whose endpoint is not shown", 9, 10),
  row("7.1", "401 Unauthorized", "no endpoint uses payment signing", 14),
  row("7.1", "403 PermissionDenied", "no endpoint uses payment signing or X-Service-Id", 14),
  row("7.1", "403 forbidden", "only a fault between the service and the user's PC causes it", 72),
  row("7.1", "409 invalid_request for a device user_code", "the page that takes user codes is not shown", 49),
  row("7.1", "412 invalid_request for scene=client", "no endpoint has a parameter scene", 15),
  row(
    "7.1",
    "429 rate_limited of any endpoint",
    "the threshold is not shown; only the two guess limits are checked, with --disposable",
    17
  ),
  row("7.1", "500 server_error", "only an internal fault causes it", 18),
  row("7.1", "502 server error", "only a fault of the user's PC causes it", 18, 72),
  row("7.1", "503 server_error", "only an unavailable dependency causes it", 18),
  row(
    "2.4",
    "403 access_denied for accounts that are no personal users",
    "the document has no other kind of account",
    58
  ),
  row("4.1", "consent and the code it gives", "a person confirms in a browser; hand over --authorization-code", 38, 41),
  row("4.1", "invalid_scope for an application without a scope", "needs an application that cannot be registered", 39),
  row("4.2", "a code after its 10 minutes", "a run does not wait for it", 29),
  row("4.9", "403 access_denied without credits", "using up an account's credits is not harmless", 81),
  row("5.4", "the end of a refresh token", "its lifetime is not shown", 29),
  row("5.7", "the end of a task's token", "its lifetime is days", 77, 113),
  row("6", "session/request_permission and its timeout", "only some agents ask, and the timeout is not given", 114),
  row("4.14", "400 sessionId is required", "needs a sandbox with several sessions", 98),
  row("8", "keep-alive of the event stream", "its interval is not shown; a check waits for 9 seconds at most", 119),
  row("9", "Deprecation and Sunset headers", "the deprecation policy is not shown", 27)
]

function row(section: string, text: string, reason: string, ...decisions: ReadonlyArray<number>): Unreachable {
  return { section, row: `${section}: ${text}`, reason, decisions }
}
