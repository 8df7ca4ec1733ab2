import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Guard from "../access/Guard.ts"
import type { Roles } from "../access/Policy.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { isShut } from "../discord/DiscordError.ts"
import { receive } from "./Receive.ts"
import * as ThreadOwner from "./ThreadOwner.ts"
import { type Thread, Threads } from "./Threads.ts"

/** A thread was deleted or locked: nothing more is posted in it, and its task is stopped. */
export const shut = Effect.fn("Missed.shut")(function* (threadId: string) {
  yield* (yield* Threads).close(threadId, yield* Clock.currentTimeMillis)
  yield* ThreadOwner.shut(threadId)
})

/** A thread was unlocked: it goes on with what was written meanwhile. */
export const reopened = Effect.fn("Missed.reopened")(function* (threadId: string) {
  const thread = yield* (yield* Threads).reopen(threadId)
  if (Option.isSome(thread)) yield* read(thread.value, true)
})

/** Takes everything in a thread that was not taken, oldest first, and has it handled. */
export const read = Effect.fn("Missed.read")(function* (thread: Thread, away: boolean) {
  yield* yield* take(thread, away)
})

/**
 * Takes everything in a thread that was not taken, oldest first and each page whole; with `away`, the thread says that it
 * is read late.
 * Returns what has it handled, since reading on may be more urgent.
 */
export const take = Effect.fn("Missed.take")(function* (thread: Thread, away: boolean) {
  const api = yield* DiscordApi
  const sql = yield* SqlClient.SqlClient
  const handle: Array<Effect.Effect<void, never, Requirements>> = []
  const page = Effect.gen(function* () {
    let after = thread.lastSeenId
    let late = away
    for (;;) {
      const messages = yield* api.messagesAfter(thread.threadId, after)
      const people = Arr.dedupe(messages.flatMap((each) => (each.fromPerson ? [each.authorId] : [])))
      const roles = new Map<string, Roles>()
      for (const userId of people) roles.set(userId, yield* Guard.rolesLater(thread.guildId, userId))
      const received = yield* Effect.orDie(
        sql.withTransaction(
          Effect.forEach(messages, (message) =>
            // Their roles are known before: nothing may be waited for that holds up all other writes.
            Effect.suspend(() =>
              receive({
                message: { ...message, roleIds: roles.get(message.authorId) ?? [] },
                guildId: thread.guildId,
                late
              })
            ).pipe(
              Effect.tap(({ taken }) => {
                if (taken) late = false
              })
            )
          )
        )
      )
      for (const { aside, deliver } of received) handle.push(deliver, aside)
      const last = messages.at(-1)
      if (last === undefined || messages.length < 100) return
      after = last.id
    }
  })
  yield* page.pipe(
    Effect.catchAll((error) =>
      isShut(error)
        ? shut(thread.threadId)
        : Effect.logWarning(`Thread ${thread.threadId} could not be caught up`, error.message)
    )
  )
  return Effect.all(handle, { discard: true })
})

type Received = Effect.Effect.Success<ReturnType<typeof receive>>
type Requirements = Effect.Effect.Context<Received["aside"] | Received["deliver"]>
