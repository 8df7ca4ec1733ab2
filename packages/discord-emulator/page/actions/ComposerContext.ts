import type { Api } from "../api/Api.ts"
import { type RunnableCommand, runnableCommands, searchCommands } from "../model/Commands.ts"
import { type CommandDraft, type Draft, draftOf } from "../model/State.ts"
import type { Store } from "../model/Store.ts"

/** The dependencies of the composer actions. */
export interface ComposerContext {
  readonly store: Store
  readonly api: Api
  /** Moves the focus to the text box, or to the focused option of the command. */
  readonly redirectFocus: (to: "text" | "option") => void
}

/** The id of the channel on screen; empty without one. */
export const channelOnScreen = ({ store }: ComposerContext): string => store.state().currentChannel ?? ""

/** The draft of the channel on screen. */
export const currentDraft = (context: ComposerContext): Draft =>
  draftOf(context.store.state(), channelOnScreen(context))

/** Changes the draft of a channel, the one on screen unless given. */
export const changeDraft = (
  context: ComposerContext,
  change: Partial<Draft>,
  channel = channelOnScreen(context)
): void => context.store.dispatch({ type: "draft", channel, change })

/** Changes the command in the draft of the channel on screen, if there is one. */
export const changeCommand = (context: ComposerContext, change: Partial<CommandDraft>): void => {
  const { command } = currentDraft(context)
  if (command !== undefined) changeDraft(context, { command: { ...command, ...change }, error: undefined })
}

/** The command of a path. */
export const findCommand = ({ store }: ComposerContext, path: string): RunnableCommand | undefined =>
  runnableCommands(store.state().commands).find((item) => item.path === path)

/** The commands that match the text, while the list of commands is open. */
export const matchingCommands = (store: Pick<Store, "state">): ReadonlyArray<RunnableCommand> => {
  const state = store.state()
  const { command, listClosed, text } = draftOf(state, state.currentChannel)
  const isOpen = text.startsWith("/") && !text.includes("\n") && !listClosed && command === undefined
  return isOpen ? searchCommands(runnableCommands(state.commands), text.slice(1)) : []
}
