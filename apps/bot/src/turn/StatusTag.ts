import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import type { KnownForum } from "../discord/gateway/GatewayCache.ts"
import { DiscordClient } from "../discord/DiscordClient.ts"
import type { Messages } from "../messages/Messages.ts"
import { languages } from "../messages/Translations.ts"
import type { Snapshot } from "./TurnState.ts"

/** How a task is doing, as a tag of its post in a forum tells. */
export type Status = keyof Messages["statusTags"]

/** The status of a thread in which a turn runs. */
export const statusOf = ({ end, notice, permissions }: Snapshot): Status => {
  if (end !== undefined) return end._tag === "Failed" ? "failed" : "done"
  return notice?._tag === "Reconnect" || permissions.some(({ state }) => state === "open") ? "waiting" : "working"
}

/** Shows statuses at one thread, if it is a post in a forum; titles never tell, since few renames are allowed. */
export interface StatusTag {
  /** Shows a status as soon as the one before is shown; of several, the newest. */
  readonly set: (status: Status) => void
  /** Waits until the newest status is shown, or cannot be. */
  readonly flush: Effect.Effect<void>
}

/** What the bot calls a status in any language: a tag of another language goes when the language changes. */
const statusTagNames = new Set(languages.flatMap(({ statusTags }) => Object.values(statusTags).map(({ name }) => name)))

/** Starts to show the status of a thread; the scope ends it. */
export const open = Effect.fnUntraced(function* (threadId: string, { statusTags }: Messages) {
  const api = yield* DiscordApi
  const { forum } = yield* DiscordClient
  const oneCall = yield* Effect.makeSemaphore(1)
  const scope = yield* Effect.scope
  // A fiber for each change: a status seldom changes.
  const fork = Runtime.runFork(yield* Effect.runtime())
  let nextStatus: Status | undefined
  let shownStatus: Status | undefined

  const tag = Effect.fnUntraced(function* ({ applied, forumId, tags }: KnownForum, status: Status) {
    const desiredTags = Object.values(statusTags)
    const complete = desiredTags.every(({ name }) => tags.some((each) => each.name === name))
    // A bot may lack the permission to add tags, and a forum has twenty at most.
    const allTags = complete || tags.length >= 20 ? tags : yield* api.addTags(forumId, desiredTags)
    const ownTags = allTags.filter(({ name }) => statusTagNames.has(name))
    const id = ownTags.find(({ name }) => name === statusTags[status].name)?.id
    if (id === undefined) return
    const otherTagIds = applied.filter((each) => !ownTags.some((tag) => tag.id === each))
    // A post has five tags at most, and those of people are theirs.
    if (otherTagIds.length > 4) return
    yield* api.setTags(threadId, [...otherTagIds, id])
  })

  const show = oneCall.withPermits(1)(
    Effect.gen(function* () {
      for (;;) {
        const status = nextStatus
        const forumPost = forum(threadId)
        if (status === undefined || status === shownStatus || forumPost === undefined) return
        yield* Effect.catchAll(retryWhileUnavailable(tag(forumPost, status)), (error) =>
          // The thread itself says the same.
          Effect.logInfo(`The status of thread ${threadId} cannot be shown as a tag`, error.message)
        )
        shownStatus = status
      }
    })
  )

  return {
    set: (status) => {
      if (status === nextStatus) return
      nextStatus = status
      fork(show, { scope, immediate: false })
    },
    flush: show
  } satisfies StatusTag
})
