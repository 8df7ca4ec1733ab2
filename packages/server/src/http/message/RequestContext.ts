import * as Context from "effect/Context"

/** The facts about a request for its access log line, its span and the counters. */
export class RequestContext extends Context.Reference<RequestContext>()("@heddle/server/http/message/RequestContext", {
  defaultValue: (): RequestInfo => ({ requestId: "", method: "", route: "", clientId: undefined })
}) {}

export interface RequestInfo {
  /** The trace id (contract decision 12). */
  readonly requestId: string
  readonly method: string
  /** The pattern of the path, never the path, which has the caller's values. */
  readonly route: string
  /** The application, once its token or its credentials have been checked. */
  clientId: string | undefined
}
