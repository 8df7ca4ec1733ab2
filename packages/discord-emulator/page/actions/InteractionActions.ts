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
  readonly useOn: (name: string, target: CommandTarget) => Promise<void>
  readonly dismissPending: (key: string) => void
}

export const makeInteractionActions = (context: ActionContext): InteractionActions => ({
  press: (message, customId, values) => press(context, message, customId, values),
  submitModal: (values, files) => submitModal(context, values, files),
  closeModal: () => context.store.dispatch({ type: "modal", modal: undefined }),
  useOn: (name, target) => useOn(context, name, target),
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
    const answer = await api.interact({ kind: "component", channel, message, customId, ...selected })
    if (answer.type === "failed") setMessageError(store, message, answer.error ?? "This interaction failed")
    openModal(store, answer)
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
    const answer = await api.interact({ kind: "modal", interaction: modal.interaction, values }, files)
    if (answer.type === "failed") return fail(answer.error ?? "Something went wrong. Try again.")
    store.dispatch({ type: "modal", modal: undefined })
    openModal(store, answer)
  } catch (failure) {
    fail(errorText(failure))
  }
}

const useOn = async ({ api, store }: ActionContext, path: string, target: CommandTarget): Promise<void> => {
  const channel = store.state().currentChannel ?? ""
  const onMessage = "message" in target
  const fail = (error: string): void =>
    onMessage ? setMessageError(store, target.message.id, error) : showDraftError(store, channel, error)
  if (onMessage) setMessageError(store, target.message.id)
  try {
    const answer = await api.interact(
      onMessage
        ? { kind: "message_command", channel, message: target.message.id, path }
        : { kind: "user_command", channel, target: target.person, path }
    )
    if (answer.type === "failed") return fail(answer.error ?? "The application did not respond")
    openModal(store, answer)
  } catch (failure) {
    fail(errorText(failure))
  }
}
