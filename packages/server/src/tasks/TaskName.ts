/**
 * The name of a task: the requested one, else the first line of its prompt, at most 60 code points (contract decision 87).
 */
export const nameFor = (name: string | undefined, prompt: string): string => {
  const requested = toOneLine(name ?? "")
  if (requested !== "") return requested
  const line = prompt
    .split(/[\r\n\u2028\u2029]/)
    .map(toOneLine)
    .find((text) => text !== "")
  const letters = [...(line ?? "Task")]
  return letters.length <= 60 ? letters.join("") : `${letters.slice(0, 59).join("").trimEnd()}…`
}

// Control characters would break the display in one line.
const toOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, " ").trim()
