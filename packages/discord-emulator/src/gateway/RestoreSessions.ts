import type { Context } from "../context/Context.ts"
import { dispatchesOf } from "./Dispatches.ts"
import { Session } from "./Session.ts"
import type { SessionStore } from "./SessionStore.ts"

/** The sessions of an earlier run, which their clients may resume. */
export const restoreSessions = (context: Context, sessionStore: SessionStore): ReadonlyArray<Session> => {
  const { journal, store } = context
  return sessionStore.restored.map(({ record, ...restored }) => {
    const session = new Session(record, sessionStore.open(record), restored)
    session.disconnect()
    // The earlier process may have ended between its last change and the events of the change.
    if (store.lastCommitted !== undefined && session.position < journal.position())
      session.dispatch(dispatchesOf(context, store.lastCommitted), store.guild.guildId, journal.position())
    return session
  })
}
