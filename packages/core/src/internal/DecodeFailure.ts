import type * as ParseResult from "effect/ParseResult"

/**
 * The path of the first field that did not decode, such as `tasks.0.status`; `body` where it is the whole.
 * It never looks at a value: values may be secret, huge or deeply nested.
 */
export const path = (issue: ParseResult.ParseIssue): string => {
  const keys: Array<string> = []
  let at: ParseResult.ParseIssue | undefined = issue
  while (at !== undefined) {
    if (at._tag === "Pointer") keys.push(...[at.path].flat().map(String))
    at = "issues" in at ? [at.issues].flat()[0] : "issue" in at ? at.issue : undefined
  }
  return keys.join(".").slice(0, 200) || "body"
}
