import * as Schema from "effect/Schema"

/**
 * Why the local assistant cannot work, for the person at the terminal: the setting, the problem and the fix. Messages
 * without a reply stay with the service.
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
