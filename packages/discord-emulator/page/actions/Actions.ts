import { type Api, type Files, type NewPost, type Options, PAGE_SIZE } from "../api/Api.ts"
import { said } from "./ComposerActions.ts"
import { keepDismissed, keepMembersShown } from "../api/LocalStorage.ts"
import { withMentions, withoutMentions } from "../model/Mentions.ts"
import type { Store } from "../model/Store.ts"
import { ChannelType, type InteractionAnswer, type Message } from "../model/Types.ts"

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
  readonly openMembers: (open: boolean) => void
  /** Uses a command in the menu of a message or of a person. */
  readonly useOn: (name: string, target: { readonly message: Message } | { readonly person: string }) => Promise<void>
  /** Changes the language of the person's client, or that of the server. */
  readonly speak: (locale: string, whose: "mine" | "server") => Promise<void>
  /** Goes to the direct channel with the bot. */
  readonly openDirect: () => Promise<void>
  /** Asks what a new post of a forum, or a new thread at a message, shall be. */
  readonly startMaking: (channel: string, message?: string) => void
  readonly cancelMaking: () => void
  readonly finishMaking: (made: NewPost) => Promise<void>
}

/** Makes the actions on messages. */
export const makeActing = (store: Store, api: Api, goTo: (channel: string) => void): Acting => {
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
      store.dispatch({
        type: "editing",
        editing: { message: message.id, text: withoutMentions(store.state(), message.content) }
      }),
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
      const text = withMentions(store.state(), editing.text.trim())
      if (message?.content === text) return store.dispatch({ type: "editing", editing: undefined })
      try {
        await api.edit(place, editing.message, text)
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
    openDrawer: (open) => store.dispatch({ type: "drawer", open }),
    openMembers: (open) => {
      keepMembersShown(open)
      store.dispatch({ type: "members", open })
    },
    useOn: async (path, target) => {
      const channel = store.state().place ?? ""
      const failed = (error: string): void =>
        "message" in target
          ? refuse(target.message.id, error)
          : store.dispatch({ type: "draft", channel, change: { error } })
      if ("message" in target) refuse(target.message.id)
      try {
        const answer = await api.interact(
          "message" in target
            ? { kind: "message_command", channel, message: target.message.id, path }
            : { kind: "user_command", channel, target: target.person, path }
        )
        if (answer.type === "failed") return failed(answer.error ?? "The application did not respond")
        openModal(answer)
      } catch (failure) {
        failed(said(failure))
      }
    },
    speak: async (locale, whose) => {
      const channel = store.state().place ?? ""
      try {
        await api.speak(locale, whose)
      } catch (failure) {
        store.dispatch({ type: "draft", channel, change: { error: said(failure) } })
      }
    },
    openDirect: async () => {
      const channel = store.state().place
      try {
        goTo(await api.direct())
      } catch (failure) {
        if (channel !== undefined) store.dispatch({ type: "draft", channel, change: { error: said(failure) } })
      }
    },
    startMaking: (channel, message) => store.dispatch({ type: "making", making: { channel, message, sending: false } }),
    cancelMaking: () => store.dispatch({ type: "making", making: undefined }),
    finishMaking: async (made) => {
      const { channels, making } = store.state()
      if (making === undefined || making.sending) return
      store.dispatch({ type: "making", making: { ...making, sending: true, error: undefined } })
      const forum = channels.find(({ id }) => id === making.channel)?.type === ChannelType.forum
      try {
        const id = forum
          ? await api.post(making.channel, made)
          : await api.thread(making.channel, made.title, making.message)
        store.dispatch({ type: "making", making: undefined })
        goTo(id)
      } catch (failure) {
        store.dispatch({ type: "making", making: { ...making, sending: false, error: said(failure) } })
      }
    }
  }
}
