import * as Schema from "effect/Schema"

/**
 * Why the service did not start, told to the person at the terminal: which setting, what is wrong, what to do.
 * Nothing was served and no data was changed.
 */
export class ServerStartError extends Schema.TaggedError<ServerStartError>()("ServerStartError", {
  setting: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `${this.setting}: ${this.problem}. ${this.fix}`
  }
}
