import * as Schema from "effect/Schema"

/**
 * Why the service did not start, for the person at the terminal: the setting, the problem and the remedy.
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
