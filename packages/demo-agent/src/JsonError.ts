/** Finds the first place at which a text stops being JSON, as an offset; `undefined` when it is JSON throughout. */
export const jsonErrorAt = (text: string): number | undefined => {
  const open: Array<"{" | "["> = []
  let expected: "value" | "value or ]" | "key" | "key or }" | ":" | ", or end" = "value"
  let at = 0
  for (;;) {
    at = skip(text, at)
    if (at >= text.length) return expected === ", or end" && open.length === 0 ? undefined : at
    const c = text[at] ?? ""
    const inside = open.at(-1)
    if (expected === ":") {
      if (c !== ":") return at
      expected = "value"
      at++
    } else if (expected === ", or end") {
      if (c === "," && inside !== undefined) expected = inside === "{" ? "key" : "value"
      else if ((c === "}" && inside === "{") || (c === "]" && inside === "[")) open.pop()
      else return at
      at++
    } else if ((c === "}" && expected === "key or }") || (c === "]" && expected === "value or ]")) {
      open.pop()
      expected = ", or end"
      at++
    } else if (expected === "key" || expected === "key or }") {
      const end = match(STRING, text, at)
      if (end === undefined) return at
      expected = ":"
      at = end
    } else if (c === "{" || c === "[") {
      open.push(c)
      expected = c === "{" ? "key or }" : "value or ]"
      at++
    } else {
      const end = match(c === '"' ? STRING : SCALAR, text, at)
      if (end === undefined) return at
      expected = ", or end"
      at = end
    }
  }
}

const SPACE = /[ \t\r\n]*/y
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const skip = (text: string, at: number): number => match(SPACE, text, at) ?? at

const match = (pattern: RegExp, text: string, at: number): number | undefined => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
