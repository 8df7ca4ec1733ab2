import { plain } from "../../text/Escape.ts"

/** The part of a turn that is not posted. */
export interface Rest {
  readonly characters: number
  readonly file: boolean
  readonly steps: number
  readonly stopped: boolean
}

/** The texts of a turn's posts, apart from the agent's words. */
export const turnPosts = {
  startedHeader: (userId: string, name: string, prompt: string, files: ReadonlyArray<string>) =>
    [
      `<@${userId}> started a task: **${plain(name)}**`,
      ...(prompt === "" ? [] : [`> ${plain(prompt)}`]),
      ...(files.length === 0 ? [] : [`📎 ${files.map(plain).join(", ")}`])
    ].join("\n"),
  openedHeader: (userId: string, name: string) => `<@${userId}> opened a task here: **${plain(name)}**`,
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
    `📎 ${plain(name)} could not be fetched from the task. Nothing was changed or charged. \`/artifacts download\` tries again, and the file comes here when the task tells of it again.`,
  /** A file in a message of the agent. */
  attachmentTooLarge: (name: string, size: string, limit: string) =>
    `📎 ${plain(name)} · ${size} — too large to be posted here: the limit is ${limit}. Ask the agent to save it in \`artifacts/\`.`,
  /** A link to what is neither in the web nor on a card of this thread. */
  unopenableLink: (name: string) => `🔗 ${plain(name)} · cannot be opened from here`,
  linkedCard: (name: string, card: string) => `🔗 ${plain(name)} — see its card in this thread: ${plain(card)}`,
  /** Above words that belong to the answer before. */
  answersBefore: "-# ↩️ Still the answer to the message before:",
  /** Above the end of a turn whose connection broke, at a service that repeats nothing. */
  mayLackOutput:
    "-# ⚠️ The connection broke off during this answer, and the service does not repeat what was said meanwhile. Some of it may be missing here.",
  /** Below late output that has outputs of steps. */
  wentOn: "-# the agent went on after its answer",
  /** Links to earlier cards that the turn changed. */
  changedAbove: (links: ReadonlyArray<string>, more: number) =>
    `-# ✏️ Changed above: ${links.join(", ")}${more > 0 ? ` and ${more} more` : ""}`,
  fileRefused: (names: string, said: string) =>
    `📎 ${plain(names)} — Discord does not take this file (${said}). It stays in the task.`,
  postRefused: (said: string) => `⚠️ Discord does not accept this post (${plain(said)}). It stays in the task.`,
  earlierSteps: (count: number) => `-# … ${count.toLocaleString("en")} earlier steps`,
  moreLines: (count: number) => `*… ${count} more lines*`,
  moreCharacters: (count: number) => `*… ${count.toLocaleString("en")} more characters*`,
  moreFiles: (count: number) =>
    `-# 📎 ${count.toLocaleString("en")} more ${count === 1 ? "file" : "files"}: \`/artifacts list\` shows them all.`,
  wholeAnswer: (files: number) => `-# 📄 the whole answer as ${files === 1 ? "one file" : `${files} files`}`,
  /** The posts of a running turn have reached their limit. */
  moreComesAsFile: "-# ✂️ There is more than I post here: all of it comes as a file when this answer is complete.",
  /** The posts of an ended turn have reached their limit; a file may contain the rest. */
  omittedRest: ({ characters, file, steps, stopped }: Rest) =>
    `-# ✂️ ${[
      ...(stopped ? ["a stop was requested"] : []),
      ...(file
        ? [`the rest is in the file below${characters > 0 ? `: ${characters.toLocaleString("en")} characters` : ""}`]
        : []),
      ...(steps > 0 ? [`${steps.toLocaleString("en")} more steps`] : [])
    ].join("; ")}`,
  /** The message whose answer was interrupted. */
  interruptedPrompt: (words: string) => `-# ↩️ This was the answer to: “${plain(words)}”`,
  connectButton: "Connect again",
  /** Sends a message once more whose delivery is not known. */
  sendAgain: "Send it",
  sentAgain: { changed: "It was sent once more, and that is charged as usual.", next: "The answer comes below." },
  /** A click sends a message that was not sent before. */
  isNext: {
    happened: "This message was not sent before.",
    changed: "It is next now. Once the agent has it, its work is charged as usual.",
    next: "The answer comes below."
  },
  /** The message of a card that offered to send it once more is in the session after all. */
  arrivedTitle: "Already in the task",
  arrived: {
    happened: "This message is in the task already, so it was not sent again.",
    changed: "The agent's work on it is charged as usual, once.",
    next: "There is nothing more to do."
  },
  sentAgainBefore: "This message was sent once more already. Nothing was sent now.",
  cannotSendAgain:
    "This message can no longer be sent from here. Nothing was sent now. If it is missing, write it again.",
  /** The title of a failed turn. */
  failed: "This did not work",
  done: "done",
  stopped: {
    max_tokens: "stopped: the answer reached its length limit",
    max_turn_requests: "stopped: too many steps in one answer",
    refusal: "the agent declined to go on",
    cancelled: "stopped",
    unsent: "stopped · the agent did not get this message, and nothing was charged for it",
    stop_not_delivered:
      "the service did not take the stop in time: if the agent has this message, it may go on, and its work is charged as usual",
    unconfirmed: "the agent was asked to stop and has not confirmed it: it may go on, and its work is charged as usual",
    interrupted: "stopped before it was finished",
    ended_after_stop: "ended after the stop request: nothing tells whether the agent stopped or was finished",
    paused: "paused: the task rests or waits for input, and the service does not say which"
  },
  /** A turn that ended for a reason of a later protocol version. */
  ended: (code: string) => (code === "" ? "ended" : `ended: ${code}`),
  tokens: (count: number) => `${count.toLocaleString("en")} tokens`,
  seconds: (count: string) => `${count} s`,
  minutes: (count: number) => `${count} min`
}
