import type { NewPost } from "../api/Api.ts"
import { writeMembersShown } from "../api/LocalStorage.ts"
import { ChannelType } from "../model/Types.ts"
import { type ActionContext, errorText, showDraftError } from "./ActionContext.ts"

/** The panels of the page, new threads and posts, direct messages and languages. */
export interface ServerActions {
  readonly openDrawer: (open: boolean) => void
  readonly openMembers: (open: boolean) => void
  /** Sets the language of the person's client, or of the server. */
  readonly setLanguage: (locale: string, whose: "mine" | "server") => Promise<void>
  /** Shows the direct channel with the bot. */
  readonly openDirect: () => Promise<void>
  /** Opens the dialog for a forum post, or for a thread at a message. */
  readonly openNewThread: (channel: string, message?: string) => void
  readonly closeNewThread: () => void
  readonly createThread: (post: NewPost) => Promise<void>
}

export const makeServerActions = (context: ActionContext): ServerActions => {
  const { api, goTo, store } = context
  return {
    openDrawer: (open) => store.dispatch({ type: "drawer", open }),
    openMembers: (open) => {
      writeMembersShown(open)
      store.dispatch({ type: "members", open })
    },
    setLanguage: async (locale, whose) => {
      const channel = store.state().currentChannel ?? ""
      try {
        await api.setLanguage(locale, whose)
      } catch (failure) {
        showDraftError(store, channel, errorText(failure))
      }
    },
    openDirect: async () => {
      const channel = store.state().currentChannel
      try {
        goTo(await api.openDirect())
      } catch (failure) {
        if (channel !== undefined) showDraftError(store, channel, errorText(failure))
      }
    },
    openNewThread: (channel, message) =>
      store.dispatch({ type: "new_thread", newThread: { channel, message, sending: false } }),
    closeNewThread: () => store.dispatch({ type: "new_thread", newThread: undefined }),
    createThread: (post) => createThread(context, post)
  }
}

const createThread = async ({ api, goTo, store }: ActionContext, post: NewPost): Promise<void> => {
  const { channels, newThread } = store.state()
  if (newThread === undefined || newThread.sending) return
  store.dispatch({ type: "new_thread", newThread: { ...newThread, sending: true, error: undefined } })
  const { channel, message } = newThread
  const isForum = channels.find(({ id }) => id === channel)?.type === ChannelType.forum
  try {
    const id = isForum ? await api.post(channel, post) : await api.thread(channel, post.title, message)
    store.dispatch({ type: "new_thread", newThread: undefined })
    goTo(id)
  } catch (failure) {
    store.dispatch({ type: "new_thread", newThread: { ...newThread, sending: false, error: errorText(failure) } })
  }
}
