import * as Schema from "effect/Schema"

/**
 * Why the local assistant cannot work, told to the person at the terminal: which setting, what is wrong, what to do.
 * What was not answered yet stays with the service.
 */
export class AssistantError extends Schema.TaggedError<AssistantError>()("AssistantError", {
  setting: Schema.String,
  problem: Schema.String,
  fix: Schema.String
}) {
  override get message(): string {
    return `${this.setting}: ${this.problem}. ${this.fix}`
  }
}
