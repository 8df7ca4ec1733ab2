import { reduce } from "./Reduce.ts"
import { type Action, type State, initialState } from "./State.ts"

/** Holds the state; only `dispatch` replaces it. */
export interface Store {
  readonly state: () => State
  readonly dispatch: (action: Action) => void
  /** Calls the listener after every change, with the state before it. */
  readonly subscribe: (listener: (state: State, before: State, action: Action) => void) => void
}

/** Makes a store that starts with the state stored before a reload. */
export const makeStore = (stored: Pick<State, "drafts" | "deletedIds" | "membersShown">): Store => {
  let current: State = { ...initialState, ...stored }
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
