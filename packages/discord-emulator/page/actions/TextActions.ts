import { addFiles, FILE_LIMIT } from "../model/FileLimits.ts"
import { type RunnableCommand, runnableCommands, typedCommand } from "../model/Commands.ts"
import { encodeMentions, type Mention, mentionBefore } from "../model/Mentions.ts"
import { errorText } from "./ActionContext.ts"
import { changeDraft, channelOnScreen, type ComposerContext, currentDraft } from "./ComposerContext.ts"

/** Discord's limit for one message; the page sends a longer text as a file. */
export const MESSAGE_LIMIT = 2000
const TYPING_INTERVAL_MS = 8000

/** Writing and sending a message. */
export interface TextActions {
  /** Replaces the text; `caret` is the position of the text cursor. */
  readonly write: (text: string, caret?: number) => void
  /** Completes the mention that is being typed. */
  readonly mention: (mention: Mention) => void
  readonly attach: (files: ReadonlyArray<File>) => void
  readonly detach: (file: File) => void
  readonly replyTo: (message: string | undefined) => void
  readonly send: () => Promise<void>
}

export const makeTextActions = (
  context: ComposerContext,
  choose: (command: RunnableCommand, rest: string) => void
): TextActions => {
  const signalTyping = makeTypingSignal(context)
  return {
    write: (text, caret = text.length) => {
      const { commands } = context.store.state()
      const typed = text.startsWith("/") ? typedCommand(runnableCommands(commands), text.slice(1)) : undefined
      if (typed !== undefined && !text.includes("\n")) return choose(typed.command, typed.rest)
      const before = currentDraft(context)
      const mentionQuery = mentionBefore(text.slice(0, caret))
      // A closed list stays closed for the same word.
      const isSameWord = text !== "" && (mentionQuery === undefined || mentionQuery.at === before.mentionQuery?.at)
      const listClosed = isSameWord && before.listClosed
      changeDraft(context, { text, mentionQuery, highlighted: 0, listClosed, error: undefined })
      if (text !== "" && !text.startsWith("/")) signalTyping()
    },
    mention: (mention) => completeMention(context, mention),
    attach: (files) => changeDraft(context, addFiles(currentDraft(context).files, files)),
    detach: (file) => {
      const files = currentDraft(context).files.filter((entry) => entry !== file)
      changeDraft(context, { files, error: undefined })
    },
    replyTo: (message) => {
      changeDraft(context, { replyTo: message })
      context.redirectFocus("text")
    },
    send: () => send(context)
  }
}

/** Makes the function that sends the typing indicator, at most once per interval. */
const makeTypingSignal = (context: ComposerContext): (() => void) => {
  let sentAt = 0
  return () => {
    if (Date.now() - sentAt <= TYPING_INTERVAL_MS) return
    sentAt = Date.now()
    // The message itself reports a lost connection.
    context.api.typing(channelOnScreen(context)).catch(() => undefined)
  }
}

const completeMention = (context: ComposerContext, { written }: Mention): void => {
  const { mentionQuery, text } = currentDraft(context)
  if (mentionQuery === undefined) return
  const before = `${text.slice(0, mentionQuery.at)}${written} `
  const after = text.slice(mentionQuery.at + mentionQuery.typed.length).replace(/^ /, "")
  changeDraft(context, { text: before + after, mentionQuery: undefined, highlighted: 0 })
  context.redirectFocus("text")
  document.querySelector<HTMLTextAreaElement>("#text")?.setSelectionRange(before.length, before.length)
}

const send = async (context: ComposerContext): Promise<void> => {
  const { api, store } = context
  const channel = channelOnScreen(context)
  const { files, replyTo, sending, text: written } = currentDraft(context)
  if (sending || (written.trim() === "" && files.length === 0)) return
  const text = encodeMentions(store.state(), written)
  const isTooLong = text.length > MESSAGE_LIMIT
  if (isTooLong && files.length >= FILE_LIMIT)
    return changeDraft(context, { error: "This text is sent as a file, and the message has ten files already." })
  const attachments = isTooLong ? [...files, new File([text], "message.txt", { type: "text/plain" })] : files
  changeDraft(context, { sending: true, error: undefined })
  try {
    const message = await api.send(channel, isTooLong ? "" : text.trim(), attachments, replyTo)
    store.dispatch({ type: "draft_sent", channel })
    store.dispatch({ type: "message", message, isCreated: true })
  } catch (failure) {
    changeDraft(context, { sending: false, error: errorText(failure) }, channel)
  }
}
