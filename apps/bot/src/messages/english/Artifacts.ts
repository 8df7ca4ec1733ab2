import { plain } from "../../text/Escape.ts"
import type { UserError } from "../UserError.ts"

/** Private texts of `/artifacts` and of the controls of cards. */
export const artifacts = {
  title: "What this task has produced",
  nothingProduced:
    "This task has not produced anything yet. Plans, task lists, files and summaries appear in this thread as cards, and here.",
  noSuchArtifact: (name: string) =>
    `There is nothing called **${plain(name)}** in this task. \`/artifacts list\` shows everything.`,
  kinds: { Plan: "plan", Tasks: "task list", Media: "file", Overview: "summary" },
  /** The type of an artifact that the bot does not know. */
  unknownType: (type: string) => `type: ${type}`,
  deleted: "deleted",
  noName: "without a name",
  card: "card",
  opened: (name: string) => `**${plain(name)}** is further up in this thread.`,
  openButton: "Go to its card",
  noCard: (name: string) =>
    `The card of **${plain(name)}** was removed from this thread. \`/artifacts download\` still gets what it showed.`,
  /** Above a file that comes with the answer. */
  attached: (name: string) => `**${plain(name)}**, for you alone:`,
  wasDeleted: {
    happened: "It was deleted in the task, so there is nothing to download.",
    changed: "Nothing was changed or charged.",
    next: "`/artifacts list` shows what there is."
  } satisfies UserError,
  link: (name: string, until: number) =>
    `Your private link to **${plain(name)}** works until <t:${until}:t> (<t:${until}:R>). Do not pass it on: anyone with the link can download the file.`,
  linkButton: "Get a private link",
  downloadButton: "Download",
  unreachable: {
    happened: "The file could not be fetched from the task.",
    changed: "Nothing was changed or charged.",
    next: "Please try again in a minute."
  } satisfies UserError,
  noFile: {
    happened: "The task has no file for this, or the file is too large to attach.",
    changed: "Nothing was changed or charged.",
    next: "Ask the agent to write it to a file."
  } satisfies UserError,
  versionsButton: "Compare versions",
  versions: (name: string) => `Versions of ${name}`,
  noPlan: "This task has no plan yet. When the agent makes one, its versions can be compared here.",
  oneVersion: "There is only one version of this plan so far.",
  from: (label: string) => `From: ${label}`,
  to: (label: string) => `To: ${label}`,
  version: (version: number) => `version ${version}`,
  text: (number: number) => `text ${number}`,
  newest: "newest",
  lines: (count: number) => `${count} ${count === 1 ? "line" : "lines"}`,
  noDifference: "These two versions say the same.",
  moreInFile: (lines: number) => `-# … ${lines} more lines in the file`
}
