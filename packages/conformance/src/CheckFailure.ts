import * as Data from "effect/Data"

/** The response breaks the rule; one sentence for each difference. */
export class Mismatch extends Data.TaggedError("Mismatch")<{ readonly problems: ReadonlyArray<string> }> {}

/** The check cannot be made, and why. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/** No response: the connection failed or timed out. */
export class NoResponse extends Data.TaggedError("NoResponse")<{ readonly reason: string }> {}

/** Why a check does not pass. */
export type CheckFailure = Mismatch | Skipped | NoResponse
