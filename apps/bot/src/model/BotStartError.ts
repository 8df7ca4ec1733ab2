import * as Schema from "effect/Schema"

/** The bot cannot start. `setting` names the cause, `fix` the remedy; both are safe to print. */
export class BotStartError extends Schema.TaggedError<BotStartError>()("BotStartError", {
  setting: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message() {
    return `${this.setting}: ${this.problem}. ${this.fix}`
  }
}
