import { reduce } from "./Reduce.ts"
import { type Action, type State, initialState } from "./State.ts"

/** The state, and is the only thing that replaces it. */
export interface Store {
  readonly state: () => State
  readonly dispatch: (action: Action) => void
  /** Called after every change, with what was before. */
  readonly subscribe: (listener: (state: State, before: State, action: Action) => void) => void
}

/** Makes a store that starts with what was kept through a reload. */
export const makeStore = (kept: Pick<State, "drafts" | "deletedIds" | "membersShown">): Store => {
  let current: State = { ...initialState, ...kept }
  const listeners: Array<(state: State, before: State, action: Action) => void> = []
  return {
    state: () => current,
    dispatch: (action) => {
      const before = current
      current = reduce(before, action)
      if (current !== before) for (const listener of listeners) listener(current, before, action)
    },
    subscribe: (listener) => {
      listeners.push(listener)
    }
  }
}
