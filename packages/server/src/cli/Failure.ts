import * as Schema from "effect/Schema"

/** The command did nothing, and `message` tells the person at the terminal why and what to do. */
export class Failure extends Schema.TaggedError<Failure>()("Failure", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}
