import { writeDismissed } from "../api/LocalStorage.ts"
import { decodeMentions, encodeMentions } from "../model/Mentions.ts"
import type { Message } from "../model/Types.ts"
import { type ActionContext, errorText, setMessageError } from "./ActionContext.ts"

/** Editing, deleting, reacting to and dismissing messages. */
export interface MessageActions {
  readonly startEdit: (message: Message) => void
  readonly writeEdit: (text: string) => void
  readonly finishEdit: () => Promise<void>
  readonly cancelEdit: () => void
  /** Opens the confirmation of a deletion; `undefined` closes it. */
  readonly confirmDelete: (message: string | undefined) => void
  readonly remove: (message: Message) => Promise<void>
  readonly react: (message: Message, emoji: string, isAdded: boolean) => Promise<void>
  /** Hides an ephemeral message. */
  readonly dismiss: (message: Message) => void
}

export const makeMessageActions = (context: ActionContext): MessageActions => {
  const { api, store } = context
  return {
    startEdit: ({ content, id }) =>
      store.dispatch({ type: "editing", editing: { message: id, text: decodeMentions(store.state(), content) } }),
    writeEdit: (text) => {
      const { editing } = store.state()
      if (editing !== undefined) store.dispatch({ type: "editing", editing: { message: editing.message, text } })
    },
    finishEdit: () => finishEdit(context),
    cancelEdit: () => store.dispatch({ type: "editing", editing: undefined }),
    confirmDelete: (message) => store.dispatch({ type: "deleting", message }),
    remove: async ({ channel_id: channel, id: message }) => {
      store.dispatch({ type: "deleting", message: undefined })
      try {
        await api.remove(channel, message)
        store.dispatch({ type: "message_deleted", channel, message })
      } catch (failure) {
        setMessageError(store, message, errorText(failure))
      }
    },
    react: async (message, emoji, isAdded) => {
      try {
        await api.react(message.channel_id, message.id, emoji, isAdded)
      } catch (failure) {
        setMessageError(store, message.id, errorText(failure))
      }
    },
    dismiss: (message) => {
      writeDismissed(message.id)
      store.dispatch({ type: "message_deleted", channel: message.channel_id, message: message.id })
    }
  }
}

const finishEdit = async ({ api, store }: ActionContext): Promise<void> => {
  const state = store.state()
  const { currentChannel, editing } = state
  if (editing === undefined || currentChannel === undefined) return
  const message = state.messages[currentChannel]?.list.find((entry) => entry.id === editing.message)
  if (editing.text.trim() === "" && message?.attachments.length === 0)
    return store.dispatch({ type: "deleting", message: editing.message })
  const text = encodeMentions(state, editing.text.trim())
  if (message?.content === text) return store.dispatch({ type: "editing", editing: undefined })
  try {
    await api.edit(currentChannel, editing.message, text)
    store.dispatch({ type: "editing", editing: undefined })
  } catch (failure) {
    store.dispatch({ type: "editing", editing: { ...editing, error: errorText(failure) } })
  }
}
