import * as Context from "effect/Context"

/** The trace id of the request under way (decision 12), as its answer carries it. */
export class RequestId extends Context.Reference<RequestId>()("@heddle/server/http/RequestId", {
  defaultValue: () => ""
}) {}
