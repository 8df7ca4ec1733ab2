import type { Files, Options } from "../api/Api.ts"
import type { Message } from "../model/Types.ts"
import { type ActionContext, errorText, openModal, setMessageError, showDraftError } from "./ActionContext.ts"

/** A message, or the id of a person, that a command is run on. */
type CommandTarget = { readonly message: Message } | { readonly person: string }

/** Using the components, modals and context menu commands of a bot. */
export interface InteractionActions {
  readonly press: (message: Message, customId: string, values?: ReadonlyArray<string>) => Promise<void>
  readonly submitModal: (values: Options, files: Files) => Promise<void>
  readonly closeModal: () => void
  /** Runs a command of the context menu of a message or person. */
  readonly runContextMenuCommand: (name: string, target: CommandTarget) => Promise<void>
  readonly dismissPending: (key: string) => void
}

export const makeInteractionActions = (context: ActionContext): InteractionActions => ({
  press: (message, customId, values) => press(context, message, customId, values),
  submitModal: (values, files) => submitModal(context, values, files),
  closeModal: () => context.store.dispatch({ type: "modal", modal: undefined }),
  runContextMenuCommand: (name, target) => runContextMenuCommand(context, name, target),
  dismissPending: (key) => context.store.dispatch({ type: "pending_done", key })
})

const press = async (
  { api, store }: ActionContext,
  { channel_id: channel, id: message }: Message,
  customId: string,
  values: ReadonlyArray<string> | undefined
): Promise<void> => {
  const key = `${message}:${customId}`
  if (store.state().busy.has(key)) return
  store.dispatch({ type: "busy", key, busy: true })
  setMessageError(store, message)
  try {
    const selected = values === undefined ? {} : { values }
    const response = await api.interact({ kind: "component", channel, message, customId, ...selected })
    if (response.type === "failed") setMessageError(store, message, response.error ?? "This interaction failed")
    openModal(store, response)
  } catch (failure) {
    setMessageError(store, message, errorText(failure))
  } finally {
    store.dispatch({ type: "busy", key, busy: false })
  }
}

const submitModal = async ({ api, store }: ActionContext, values: Options, files: Files): Promise<void> => {
  const { modal } = store.state()
  if (modal === undefined || modal.sending) return
  store.dispatch({ type: "modal", modal: { ...modal, sending: true, error: undefined } })
  const fail = (error: string): void => store.dispatch({ type: "modal", modal: { ...modal, sending: false, error } })
  try {
    const response = await api.interact({ kind: "modal", interaction: modal.interaction, values }, files)
    if (response.type === "failed") return fail(response.error ?? "Something went wrong. Try again.")
    store.dispatch({ type: "modal", modal: undefined })
    openModal(store, response)
  } catch (failure) {
    fail(errorText(failure))
  }
}

const runContextMenuCommand = async (
  { api, store }: ActionContext,
  path: string,
  target: CommandTarget
): Promise<void> => {
  const channel = store.state().currentChannel ?? ""
  const onMessage = "message" in target
  const fail = (error: string): void =>
    onMessage ? setMessageError(store, target.message.id, error) : showDraftError(store, channel, error)
  if (onMessage) setMessageError(store, target.message.id)
  try {
    const response = await api.interact(
      onMessage
        ? { kind: "message_command", channel, message: target.message.id, path }
        : { kind: "user_command", channel, target: target.person, path }
    )
    if (response.type === "failed") return fail(response.error ?? "The application did not respond")
    openModal(store, response)
  } catch (failure) {
    fail(errorText(failure))
  }
}
