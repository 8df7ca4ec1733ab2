import { type Api, ApiError } from "../api/Api.ts"
import type { Store } from "../model/Store.ts"
import type { InteractionAnswer } from "../model/Types.ts"

/** What the actions of a person work on. */
export interface ActionContext {
  readonly store: Store
  readonly api: Api
  /** Shows another channel. */
  readonly goTo: (channel: string) => void
}

/** The message for a person about a failed action. */
export const errorText = (failure: unknown): string =>
  failure instanceof ApiError ? failure.message : "Something went wrong on this page. Nothing was sent."

/** Shows an error below the composer of a channel. */
export const showDraftError = (store: Store, channel: string, error: string): void =>
  store.dispatch({ type: "draft", channel, change: { error } })

/** Shows an error at a message, or removes it without `text`. */
export const setMessageError = (store: Store, message: string, text?: string): void =>
  store.dispatch(text === undefined ? { type: "refused", message } : { type: "refused", message, text })

/** Opens the modal that an interaction was answered with, if it was one. */
export const openModal = (store: Store, { id, modal, type }: InteractionAnswer): void => {
  if (type === "modal" && modal !== undefined)
    store.dispatch({ type: "modal", modal: { interaction: id, form: modal, sending: false } })
}
