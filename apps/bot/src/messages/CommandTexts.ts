import * as Record from "effect/Record"

/** The texts of commands without options, from their descriptions. */
export const withoutOptions = <Name extends string>(descriptions: { readonly [N in Name]: string }) =>
  Record.map<Name, string, { readonly description: string }>(descriptions, (description) => ({ description }))
