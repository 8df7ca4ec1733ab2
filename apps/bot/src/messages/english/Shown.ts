import { plain } from "../../view/Fit.ts"

/** What a thread shows of a turn besides the agent's own words. */
export const shown = {
  card: (userId: string, name: string, prompt: string, files: ReadonlyArray<string>) =>
    [
      `<@${userId}> started a task: **${plain(name)}**`,
      ...(prompt === "" ? [] : [`> ${plain(prompt)}`]),
      ...(files.length === 0 ? [] : [`📎 ${files.map(plain).join(", ")}`])
    ].join("\n"),
  openedCard: (userId: string, name: string) => `<@${userId}> opened a task here: **${plain(name)}**`,
  plan: "Plan",
  planVersion: (version: number) => `Plan · version ${version}`,
  tasks: "Tasks",
  tasksDone: (title: string, done: number, count: number) => `${title} · ${done} of ${count}`,
  summary: "Summary",
  deleted: (title: string) => `Deleted: ${title}`,
  fileDeleted: (name: string) => `🗑️ ${plain(name)} was deleted`,
  sameFile: (line: string, twin: string) => `${line} — the same content as ${plain(twin)}`,
  fileTooLarge: (line: string, limit: string) =>
    `${line} — too large to attach here (the limit is ${limit}). It stays in the task.`,
  fileMissing: (name: string) => `📎 ${plain(name)} could not be fetched from the task.`,
  fileRefused: (names: string, said: string) =>
    `📎 ${plain(names)} — Discord does not take this file (${said}). It stays in the task.`,
  earlierSteps: (count: number) => `-# … ${count} earlier steps`,
  moreLines: (count: number) => `*… ${count} more lines*`,
  moreCharacters: (count: number) => `*… ${count.toLocaleString("en")} more characters*`,
  wholeAnswer: "-# 📄 the whole answer as one file",
  connectButton: "Connect again",
  /** The title of a round that failed. */
  failed: "This did not work",
  done: "done",
  stopped: {
    max_tokens: "stopped: the answer reached its length limit",
    max_turn_requests: "stopped: too many steps in one round",
    refusal: "the agent declined to go on",
    cancelled: "stopped",
    interrupted: "stopped before it was finished"
  },
  /** A round that ended for a reason of the future. */
  ended: (reason: string) => `ended: ${plain(reason)}`,
  tokens: (count: number) => `${count.toLocaleString("en")} tokens`,
  seconds: (count: string) => `${count} s`,
  minutes: (count: number) => `${count} min`
}
