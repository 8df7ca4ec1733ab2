import { type Api, ApiError } from "../api/Api.ts"
import type { Store } from "../model/Store.ts"
import type { InteractionResponse } from "../model/Types.ts"

/** The dependencies of the actions. */
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
  store.dispatch(text === undefined ? { type: "message_error", message } : { type: "message_error", message, text })

/** Opens the modal of an interaction response, if it is one. */
export const openModal = (store: Store, { id, modal, type }: InteractionResponse): void => {
  if (type === "modal" && modal !== undefined)
    store.dispatch({ type: "modal", modal: { interaction: id, form: modal, sending: false } })
}
