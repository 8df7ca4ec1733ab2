/** What happens without leaving a record. */
export type TransientEvent =
  | { readonly type: "typing"; readonly channelId: string; readonly userId: string }
  /** The bot came, went, or shows something else of itself. */
  | {
      readonly type: "presence"
      readonly userId: string
      readonly status: string
      readonly activities: ReadonlyArray<object>
    }
  /** A person used a command, a component or a modal: the payload for the application. */
  | { readonly type: "interaction_create"; readonly payload: object }
  | {
      readonly type: "interaction"
      readonly id: string
      readonly channelId: string
      readonly userId: string
      readonly state: "acknowledged" | "failed"
      readonly error?: string
    }

/** Hands transientEvents to everyone who listens, in order. */
export class TransientEvents {
  readonly #listeners = new Set<(signal: TransientEvent) => void>()

  emit(signal: TransientEvent): void {
    for (const listener of this.#listeners) listener(signal)
  }

  listen(listener: (signal: TransientEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
