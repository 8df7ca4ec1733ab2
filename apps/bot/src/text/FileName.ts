/** A file name that is safe on every system, from any text. */
export const fileName = (name: string): string => {
  const safe = name
    .replace(/[^\w.-]+/g, "_")
    .replace(/^[._]+/, "")
    .slice(-80)
  return safe === "" ? "file" : safe
}

/**
 * The name of a long answer's file: the task's name, the turn's time from its Discord id, and a number among several.
 */
export const answerName = (taskName: string, turnId: string, part?: number): string => {
  const slug = taskName
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/g, "-")
    .toLowerCase()
    .slice(0, 40)
    .replace(/^-+|-+$/g, "")
  const sentAt = /^\d{17,19}$/.test(turnId) ? new Date(Number((BigInt(turnId) >> 22n) + 1_420_070_400_000n)) : undefined
  const timestamp = sentAt === undefined ? turnId : sentAt.toISOString().slice(0, 16).replace("T", "-").replace(":", "")
  return fileName(`${slug === "" ? "answer" : slug}-${timestamp}${part === undefined ? "" : `-${part}`}.md`)
}
