/** A user started to type in a channel. */
export interface TypingEvent {
  readonly type: "typing"
  readonly channelId: string
  readonly userId: string
}

/** The presence of the bot changed. */
export interface PresenceEvent {
  readonly type: "presence"
  readonly userId: string
  readonly status: string
  readonly activities: ReadonlyArray<object>
}

/** An interaction got its first response, or failed. */
export interface InteractionEvent {
  readonly type: "interaction"
  readonly id: string
  readonly channelId: string
  readonly userId: string
  readonly state: "acknowledged" | "failed"
  readonly error?: string
}

/** An event that changes no record. */
export type TransientEvent =
  | TypingEvent
  | PresenceEvent
  | InteractionEvent
  /** An interaction was created; `payload` is for the application. */
  | { readonly type: "interaction_create"; readonly payload: object }

/** Sends transient events to the listeners, in order. */
export class TransientEvents {
  readonly #listeners = new Set<(event: TransientEvent) => void>()

  emit(event: TransientEvent): void {
    for (const listener of this.#listeners) listener(event)
  }

  listen(listener: (event: TransientEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
