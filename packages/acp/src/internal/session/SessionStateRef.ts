import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Update } from "../../schema/Update.ts"
import * as SessionFold from "../../SessionFold.ts"
import * as SessionState from "../../SessionState.ts"
import * as PromptEvidence from "./PromptEvidence.ts"

/** The state of a session: updates are folded into it, and the name of each change is published. */
export interface SessionStateRef {
  readonly get: () => SessionState.SessionState
  /** The state as the last replay left it; the present one before any replay. */
  readonly loaded: () => SessionState.SessionState
  readonly set: (fields: Partial<Omit<SessionState.SessionState, "entries">>) => void
  /** Folds an update: into the replay, while there is one. */
  readonly apply: (update: Update) => void
  /** Folds what is no part of a replay. */
  readonly applyLive: (update: Update) => void
  /** From now on updates are a replay of the session. */
  readonly beginReplay: () => void
  /** Takes the replayed history into the state; undefined when the replay was dropped meanwhile. */
  readonly finishReplay: () => SessionState.SessionState | undefined
  /** Drops the replay: what comes next is live. */
  readonly dropReplay: () => void
  readonly addPrompt: (content: ReadonlyArray<Wire.ContentBlock>) => PromptEvidence.PromptRecord
  /** Removes a prompt that did not reach the agent, unless another message has its key by now. */
  readonly removePrompt: (prompt: PromptEvidence.PromptRecord) => void
  /** Marks the unfinished tool calls after the newest prompt as cancelled. */
  readonly cancelToolCalls: () => void
}

/** Starts from a known state. */
export const make = (known: SessionState.SessionState, changed: (name: string) => void): SessionStateRef => {
  let live = SessionFold.make({ ...known, permissions: [], running: false })
  let replay: SessionFold.SessionFold | undefined
  let loaded: SessionState.SessionState | undefined

  const publish = (key: string | undefined) => {
    if (key !== undefined) changed(key)
  }

  return {
    get: () => live.state(),
    loaded: () => loaded ?? live.state(),
    set: (fields) => {
      live.set(fields)
      for (const name of Object.keys(fields)) changed(name)
    },
    apply: (update) => {
      if (replay === undefined) publish(live.apply(update))
      else replay.apply(update)
    },
    applyLive: (update) => publish(live.apply(update)),
    beginReplay: () => {
      replay = SessionFold.make(SessionState.empty)
    },
    finishReplay: () => {
      if (replay === undefined) return undefined
      const history = replay.state()
      replay = undefined
      const before = live.state()
      const after = SessionState.reconcile(before, history)
      loaded = after
      live = SessionFold.make(after)
      for (const name of SessionState.difference(before, after)) changed(name)
      return history
    },
    dropReplay: () => {
      replay = undefined
    },
    addPrompt: (content) => {
      const before = live.state()
      const key = live.prompt(content)
      changed(key)
      return { key, content, before }
    },
    removePrompt: (prompt) => {
      if (!PromptEvidence.isEntryOf(prompt, live.state())) return
      live.remove(prompt.key)
      changed(prompt.key)
    },
    cancelToolCalls: () => {
      for (const key of live.cancelUnfinished()) changed(key)
    }
  }
}
