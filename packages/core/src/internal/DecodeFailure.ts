import type * as ParseResult from "effect/ParseResult"

/**
 * The path of the first field that did not decode, such as `tasks.0.status`, or `body` for the whole body.
 * Never reads a value, which may be secret, huge or deeply nested.
 */
export const path = (issue: ParseResult.ParseIssue): string => {
  const keys: Array<string> = []
  let current: ParseResult.ParseIssue | undefined = issue
  while (current !== undefined) {
    if (current._tag === "Pointer") keys.push(...[current.path].flat().map(String))
    current = "issues" in current ? [current.issues].flat()[0] : "issue" in current ? current.issue : undefined
  }
  return keys.join(".").slice(0, 200) || "body"
}
