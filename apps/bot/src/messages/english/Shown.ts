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
  planVersion: (version: number) => `version ${version}`,
  planChange: (added: number, removed: number) =>
    `${added} ${added === 1 ? "line" : "lines"} added, ${removed} removed`,
  tasks: "Tasks",
  tasksDone: (done: number, total: number, cancelled: number) =>
    `**${done} of ${total} done**${cancelled === 0 ? "" : ` · ${cancelled} cancelled`}`,
  taskStates: { completed: "done", in_progress: "in progress", pending: "to do", cancelled: "cancelled" },
  summary: "Summary",
  deleted: (title: string) => `Deleted: ${title}`,
  fileDeleted: (name: string) => `🗑️ ${plain(name)} was deleted`,
  sameFile: (line: string, twin: string) => `${line} — the same content as ${plain(twin)}`,
  fileTooLarge: (limit: string) =>
    `Too large to attach here: the limit is ${limit}. The button gives a private link to it.`,
  fileMissing: (name: string) =>
    `📎 ${plain(name)} could not be fetched from the task. \`/artifacts download\` tries again.`,
  /** Links to cards further up that a round changed. */
  changedAbove: (links: ReadonlyArray<string>, more: number) =>
    `-# ✏️ Changed above: ${links.join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
  fileRefused: (names: string, said: string) =>
    `📎 ${plain(names)} — Discord does not take this file (${said}). It stays in the task.`,
  postRefused: (said: string) => `⚠️ Discord does not take what belongs here (${plain(said)}). It stays in the task.`,
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
