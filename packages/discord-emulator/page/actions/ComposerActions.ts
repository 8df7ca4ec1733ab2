import type { Draft } from "../model/State.ts"
import { type CommandActions, makeCommandActions } from "./CommandActions.ts"
import { changeDraft, type ComposerContext } from "./ComposerContext.ts"
import { makeTextActions, type TextActions } from "./TextActions.ts"

/** What a person does in the composer of the channel on screen. */
export interface ComposerActions extends TextActions, CommandActions {
  readonly change: (change: Partial<Draft>) => void
}

export const makeComposerActions = (context: ComposerContext): ComposerActions => {
  const commandActions = makeCommandActions(context)
  return {
    change: (change) => changeDraft(context, change),
    ...commandActions,
    ...makeTextActions(context, commandActions.choose)
  }
}
