import type * as Wire from "../../schema/generated/AcpSchema.ts"
import type { Update } from "../../schema/Update.ts"
import * as SessionFold from "../../SessionFold.ts"
import * as SessionState from "../../SessionState.ts"
import * as PromptEvidence from "./PromptEvidence.ts"

/** The state of a session: updates are folded into it, and the name of each change is published. */
export class SessionStateRef {
  readonly #readers: { change(name: string): void }
  #live: SessionFold.SessionFold
  #replay: SessionFold.SessionFold | undefined
  #loaded: SessionState.SessionState | undefined

  /** Starts from a known state. */
  constructor(known: SessionState.SessionState, readers: { change(name: string): void }) {
    this.#live = SessionFold.make({ ...known, permissions: [], running: false })
    this.#readers = readers
  }

  get(): SessionState.SessionState {
    return this.#live.state()
  }

  /** The state as the last replay left it; the present one before any replay. */
  loaded(): SessionState.SessionState {
    return this.#loaded ?? this.get()
  }

  set(fields: Partial<Omit<SessionState.SessionState, "entries">>): void {
    this.#live.set(fields)
    for (const name of Object.keys(fields)) this.#readers.change(name)
  }

  /** Folds an update: into the replay, while there is one. */
  apply(update: Update): void {
    if (this.#replay === undefined) this.applyLive(update)
    else this.#replay.apply(update)
  }

  /** Folds what is no part of a replay. */
  applyLive(update: Update): void {
    const key = this.#live.apply(update)
    if (key !== undefined) this.#readers.change(key)
  }

  /** From now on updates are a replay of the session. */
  beginReplay(): void {
    this.#replay = SessionFold.make(SessionState.empty)
  }

  /** Takes the replayed history into the state; undefined when the replay was dropped meanwhile. */
  finishReplay(): SessionState.SessionState | undefined {
    if (this.#replay === undefined) return undefined
    const history = this.#replay.state()
    this.dropReplay()
    const before = this.get()
    const after = SessionState.reconcile(before, history)
    this.#loaded = after
    this.#live = SessionFold.make(after)
    for (const name of SessionState.difference(before, after)) this.#readers.change(name)
    return history
  }

  /** Drops the replay: what comes next is live. */
  dropReplay(): void {
    this.#replay = undefined
  }

  addPrompt(content: ReadonlyArray<Wire.ContentBlock>): PromptEvidence.PromptRecord {
    const before = this.get()
    const key = this.#live.prompt(content)
    this.#readers.change(key)
    return { key, content, before }
  }

  /** Removes a prompt that did not reach the agent, unless another message has its key by now. */
  removePrompt(prompt: PromptEvidence.PromptRecord): void {
    if (!PromptEvidence.isEntryOf(prompt, this.get())) return
    this.#live.remove(prompt.key)
    this.#readers.change(prompt.key)
  }

  /** Marks the unfinished tool calls after the newest prompt as cancelled. */
  cancelToolCalls(): void {
    for (const key of this.#live.cancelUnfinished()) this.#readers.change(key)
  }
}
