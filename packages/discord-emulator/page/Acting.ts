import { type Api, type Files, type Options, PAGE_SIZE } from "./Api.ts"
import { said } from "./Composing.ts"
import { keepDismissed } from "./Keeping.ts"
import type { Store } from "./Store.ts"
import type { InteractionAnswer, Message } from "./Types.ts"

/** Is what a person does with messages and what bots put below them. */
export interface Acting {
  readonly load: (channel: string) => Promise<void>
  readonly loadOlder: (channel: string) => Promise<void>
  readonly press: (message: Message, customId: string, values?: ReadonlyArray<string>) => Promise<void>
  readonly submitModal: (values: Options, files: Files) => Promise<void>
  readonly closeModal: () => void
  readonly startEdit: (message: Message) => void
  readonly writeEdit: (text: string) => void
  readonly finishEdit: () => Promise<void>
  readonly cancelEdit: () => void
  readonly askDelete: (message: string | undefined) => void
  readonly remove: (message: Message) => Promise<void>
  readonly react: (message: Message, emoji: string, on: boolean) => Promise<void>
  readonly dismiss: (message: Message) => void
  readonly dismissPending: (key: string) => void
  readonly openDrawer: (open: boolean) => void
}

/** Makes the actions on messages. */
export const makeActing = (store: Store, api: Api): Acting => {
  const loading = new Set<string>()

  const load = async (channel: string, before?: string): Promise<void> => {
    if (loading.has(channel)) return
    loading.add(channel)
    try {
      const messages = await api.messages(channel, before)
      const whole = messages.length < PAGE_SIZE
      store.dispatch({ type: "loaded", channel, messages, whole, older: before !== undefined })
    } catch (failure) {
      // Offline is said by the banner, and the next connection loads again; a refusal has to be said here.
      if (store.state().connection === "live") {
        store.dispatch({ type: "draft", channel, change: { error: said(failure) } })
      }
    } finally {
      loading.delete(channel)
    }
  }

  const openModal = (answer: InteractionAnswer): void => {
    if (answer.type === "modal" && answer.modal !== undefined) {
      store.dispatch({ type: "modal", modal: { interaction: answer.id, form: answer.modal, sending: false } })
    }
  }

  const refuse = (message: string, text?: string): void =>
    store.dispatch(text === undefined ? { type: "refused", message } : { type: "refused", message, text })

  return {
    load: (channel) => load(channel),
    loadOlder: async (channel) => {
      const known = store.state().messages[channel]
      const first = known?.list[0]
      if (known !== undefined && !known.whole && !known.stale && first !== undefined) await load(channel, first.id)
    },
    press: async (message, customId, values) => {
      const key = `${message.id}:${customId}`
      if (store.state().busy.has(key)) return
      store.dispatch({ type: "busy", key, busy: true })
      refuse(message.id)
      try {
        const answer = await api.interact({
          kind: "component",
          channel: message.channel_id,
          message: message.id,
          customId,
          ...(values === undefined ? {} : { values })
        })
        if (answer.type === "failed") refuse(message.id, answer.error ?? "This interaction failed")
        openModal(answer)
      } catch (failure) {
        refuse(message.id, said(failure))
      } finally {
        store.dispatch({ type: "busy", key, busy: false })
      }
    },
    submitModal: async (values, files) => {
      const modal = store.state().modal
      if (modal === undefined || modal.sending) return
      store.dispatch({ type: "modal", modal: { ...modal, sending: true, error: undefined } })
      const failed = (error: string): void =>
        store.dispatch({ type: "modal", modal: { ...modal, sending: false, error } })
      try {
        const answer = await api.interact({ kind: "modal", interaction: modal.interaction, values }, files)
        if (answer.type === "failed") return failed(answer.error ?? "Something went wrong. Try again.")
        store.dispatch({ type: "modal", modal: undefined })
        openModal(answer)
      } catch (failure) {
        failed(said(failure))
      }
    },
    closeModal: () => store.dispatch({ type: "modal", modal: undefined }),
    startEdit: (message) =>
      store.dispatch({ type: "editing", editing: { message: message.id, text: message.content } }),
    writeEdit: (text) => {
      const editing = store.state().editing
      if (editing !== undefined) store.dispatch({ type: "editing", editing: { message: editing.message, text } })
    },
    finishEdit: async () => {
      const { editing, place } = store.state()
      if (editing === undefined || place === undefined) return
      const message = store.state().messages[place]?.list.find((entry) => entry.id === editing.message)
      if (editing.text.trim() === "" && message?.attachments.length === 0) {
        return store.dispatch({ type: "deleting", message: editing.message })
      }
      if (message?.content === editing.text.trim()) return store.dispatch({ type: "editing", editing: undefined })
      try {
        await api.edit(place, editing.message, editing.text.trim())
        store.dispatch({ type: "editing", editing: undefined })
      } catch (failure) {
        store.dispatch({ type: "editing", editing: { ...editing, error: said(failure) } })
      }
    },
    cancelEdit: () => store.dispatch({ type: "editing", editing: undefined }),
    askDelete: (message) => store.dispatch({ type: "deleting", message }),
    remove: async (message) => {
      store.dispatch({ type: "deleting", message: undefined })
      try {
        await api.remove(message.channel_id, message.id)
        store.dispatch({ type: "message_gone", channel: message.channel_id, message: message.id })
      } catch (failure) {
        refuse(message.id, said(failure))
      }
    },
    react: async (message, emoji, on) => {
      try {
        await api.react(message.channel_id, message.id, emoji, on)
      } catch (failure) {
        refuse(message.id, said(failure))
      }
    },
    dismiss: (message) => {
      keepDismissed(message.id)
      store.dispatch({ type: "message_gone", channel: message.channel_id, message: message.id })
    },
    dismissPending: (key) => store.dispatch({ type: "pending_done", key }),
    openDrawer: (open) => store.dispatch({ type: "drawer", open })
  }
}
