import type { UserError } from "../UserError.ts"

/** The outputs of commands and other steps, which a button opens. */
export const stepOutputs = {
  button: "Outputs",
  file: (count: number) => (count === 1 ? "The output of one step:" : `The outputs of ${count} steps:`),
  omitted: (characters: number) => `[… ${characters.toLocaleString("en")} characters before this are left out]`,
  gone: {
    happened: "The task no longer has the outputs of this answer.",
    changed: "Nothing was changed or charged.",
    next: "If you need one, ask the agent to run the command again."
  } satisfies UserError,
  unreachable: {
    happened: "The task could not be reached.",
    changed: "Nothing was changed or charged.",
    next: "Please try again in a minute."
  } satisfies UserError
}
