import type { UserError } from "../UserError.ts"

/** The card of the files that an answer made or changed. */
export const fileOffers = {
  title: "📂 Files of this answer",
  about: "The agent made or changed these files in its folder. They are posted here when someone asks for them.",
  alwaysPosted: "The files of every further answer in this task are posted, up to 25 each.",
  change: { created: "new", changed: "changed" },
  result: {
    posted: "posted as it was then",
    gone: "no longer there",
    "too large": "too large to be posted",
    failed: "could not be posted"
  },
  more: (files: number) =>
    `${files} ${files === 1 ? "other is" : "others are"} not listed. Ask the agent to put what you need into \`artifacts/\`; it is posted from there.`,
  partial:
    "The task has too many folders or files, so not all folders were looked at. A missing file is posted once the agent puts it into `artifacts/`.",
  choose: "Get files …",
  getAll: "Get all",
  always: "Always post",
  alwaysSet: (userId: string, always: boolean) =>
    always
      ? `-# <@${userId}> has the files of every further answer posted here.`
      : `-# <@${userId}> stopped the posting of every answer's files.`,
  never: "Stop posting all",
  unreachable: {
    happened: "The task could not be reached.",
    changed: "Its files are unchanged, and nothing was charged.",
    next: "Please try again in a minute."
  } satisfies UserError
}
