import type { Messages } from "../messages/Messages.ts"
import type { AgentRequest } from "../model/Conversation.ts"
import type * as Post from "../model/Post.ts"
import { formatBytes } from "../text/Format.ts"
import { oneLine, truncateLines } from "../text/Truncate.ts"

/** A request's title, or its kind without a visible title. */
export const titleOf = ({ title }: AgentRequest, { requestCards }: Messages): string =>
  oneLine(title, 200) || requestCards.untitledRequest

/** The text of an open card, shortened so that its deadline, and why it is open again, stay visible. */
export const cardText = ({ deadline, outcome }: AgentRequest, text: string, messages: Messages): string => {
  const { askedAgain, deadline: deadlineText, openAgain } = messages.requestCards
  const { mayHaveArrived, removedAuthors } = outcome._tag === "Open" ? outcome : {}
  const removed = removedAuthors === undefined ? "" : openAgain(removedAuthors.slice(0, 10))
  const note = mayHaveArrived === true ? askedAgain : removed
  return [truncateLines(text, 3900 - note.length, messages.turnPosts.moreCharacters), note, deadlineText(deadline)]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** All of a request as a file of its card, where the card has only a part of it, with the words about the file. */
export const wholeDetail = (
  { detail, id, wholeDetail: text }: AgentRequest,
  { requestCards }: Messages,
  uploadLimit: number
): { readonly files: ReadonlyArray<Post.FileRef>; readonly note: ReadonlyArray<string> } => {
  if (text === undefined) return { files: [], note: [] }
  const size = Buffer.byteLength(text)
  if (size > uploadLimit)
    return { files: [], note: [requestCards.wholeTooLarge(formatBytes(size), formatBytes(uploadLimit))] }
  const name = hasChange(detail) ? "changes.diff" : "request.txt"
  return { files: [{ name, uri: `whole:${id}`, version: String(size), text }], note: [requestCards.wholeInFile(name)] }
}

/** Whether the detail of a request shows a change of a file. */
export const hasChange = (detail: string): boolean => detail.includes("```diff")
