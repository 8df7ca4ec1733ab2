import type { Actions } from "./Actions.ts"
import type { ComposerActions } from "./ComposerActions.ts"
import type { Theme } from "../api/LocalStorage.ts"
import type { MentionNames } from "../text/Markdown.ts"
import type { State } from "../model/State.ts"

/** What every view gets: the state to show, and what a person can do. */
export interface View {
  readonly state: State
  readonly now: Date
  readonly names: MentionNames
  readonly actions: Actions
  readonly composer: ComposerActions
  readonly theme: Theme
  readonly setTheme: (theme: Theme) => void
  readonly hrefOf: (channel: string, person?: string) => string
}
