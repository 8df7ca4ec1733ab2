import type { ActionContext } from "./ActionContext.ts"
import { type HistoryActions, makeHistoryActions } from "./HistoryActions.ts"
import { type InteractionActions, makeInteractionActions } from "./InteractionActions.ts"
import { makeMessageActions, type MessageActions } from "./MessageActions.ts"
import { makeServerActions, type ServerActions } from "./ServerActions.ts"

/** What a person does outside of the composer. */
export type Actions = HistoryActions & MessageActions & InteractionActions & ServerActions

export const makeActions = (context: ActionContext): Actions => ({
  ...makeHistoryActions(context),
  ...makeMessageActions(context),
  ...makeInteractionActions(context),
  ...makeServerActions(context)
})
