/**
 * The name of a task: the given one, else the first line of its prompt, at most 60 code points (contract decision 87).
 */
export const nameFor = (name: string | undefined, prompt: string): string => {
  const given = tidy(name ?? "")
  if (given !== "") return given
  const line = prompt
    .split(/[\r\n\u2028\u2029]/)
    .map(tidy)
    .find((text) => text !== "")
  const letters = [...(line ?? "Task")]
  return letters.length <= 60 ? letters.join("") : `${letters.slice(0, 59).join("").trimEnd()}…`
}

// Control characters would break whatever shows the name in one line.
const tidy = (text: string): string => text.replace(/[\p{Cc}\p{Zs}\p{Zl}\p{Zp}]+/gu, " ").trim()
