import type { Context } from "../context/Context.ts"
import { type EmulatorEvent, emulatorEventOf, emulatorEventOfTransient } from "../context/EmulatorEvents.ts"

/** The listeners of a test. */
interface EventListeners {
  /** Adds a listener; the returned function removes it. */
  readonly on: (listener: (event: EmulatorEvent) => void) => () => void
}

/** Turns commits and transient events into emulator events for the listeners of a test. */
export const makeEventListeners = (context: Context): EventListeners => {
  const listeners = new Set<(event: EmulatorEvent) => void>()
  const emit = (event: EmulatorEvent | undefined): void => {
    if (event === undefined) return
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (cause) {
        // A failing listener must not keep the event from the bot and the other listeners.
        const reason = cause instanceof Error ? cause.stack : String(cause)
        context.settings.log(`discord-emulator: a listener failed: ${reason}`)
      }
    }
  }
  context.store.listen((committed) => {
    if (listeners.size > 0) emit(emulatorEventOf(context, committed))
  })
  context.transientEvents.listen((event) => emit(emulatorEventOfTransient(event)))
  return {
    on: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
