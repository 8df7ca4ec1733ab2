import { PAGE_SIZE } from "../api/Api.ts"
import { type ActionContext, errorText, showDraftError } from "./ActionContext.ts"

/** Loading the messages of a channel. */
export interface HistoryActions {
  /** Loads the newest messages. */
  readonly load: (channel: string) => Promise<void>
  /** Loads the page before the oldest loaded message. */
  readonly loadOlder: (channel: string) => Promise<void>
}

export const makeHistoryActions = ({ api, store }: ActionContext): HistoryActions => {
  const loading = new Set<string>()
  const load = async (channel: string, before?: string): Promise<void> => {
    if (loading.has(channel)) return
    loading.add(channel)
    try {
      const messages = await api.messages(channel, before)
      const complete = messages.length < PAGE_SIZE
      store.dispatch({ type: "loaded", channel, messages, complete, isOlderPage: before !== undefined })
    } catch (failure) {
      // While the connection is lost, the banner says so, and the next connection loads again.
      if (store.state().connection === "live") showDraftError(store, channel, errorText(failure))
    } finally {
      loading.delete(channel)
    }
  }
  return {
    load: (channel) => load(channel),
    loadOlder: async (channel) => {
      const loaded = store.state().messages[channel]
      const first = loaded?.list[0]
      if (loaded !== undefined && !loaded.complete && !loaded.stale && first !== undefined)
        await load(channel, first.id)
    }
  }
}
