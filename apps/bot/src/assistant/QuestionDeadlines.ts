import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import * as KeyedMutex from "../concurrency/KeyedMutex.ts"
import * as MonotonicClock from "../concurrency/MonotonicClock.ts"
import { messagesOf } from "../discord/Bucket.ts"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { retryWhileUnavailable } from "../discord/RetryPolicy.ts"
import * as AssistantQuestion from "../model/AssistantQuestion.ts"
import { type ChatQuestion, Chats } from "../store/Chats.ts"
import { Languages } from "../store/Languages.ts"
import * as View from "../view/AssistantChat.ts"

/** Closes the card of each question at its deadline, also of those from before a restart. `shown`: a new one came. */
export const run = Effect.fnUntraced(function* (shown: Queue.Dequeue<void>) {
  const chats = yield* Chats
  for (;;) {
    const now = yield* MonotonicClock.now
    const limited = yield* chats.questionsWithDeadline
    const isDue = ({ question }: ChatQuestion) => AssistantQuestion.isExpired(question, now)
    yield* Effect.forEach(limited.filter(isDue), close, { concurrency: 4, discard: true })
    const next = Math.min(...limited.filter((one) => !isDue(one)).map(({ question }) => question.expiresAt ?? Infinity))
    // A timer of more than 24 days would never fire.
    yield* Effect.raceFirst(Queue.take(shown), Effect.sleep(Math.min(next - now, 86_400_000)))
  }
})

/** Stores that the time is over, unless an answer was sent, and then shows it; after a restart in between again. */
const close = Effect.fnUntraced(function* ({ questionId }: ChatQuestion) {
  const chats = yield* Chats
  // A choice may be on its way to the service, which decides whether it is in time.
  const { release, run } = yield* KeyedMutex.enqueue(orderingKey(questionId))
  if (!(yield* Effect.ensuring(run(chats.expire(questionId)), release))) return
  const closing = yield* chats.question(questionId)
  if (Option.isSome(closing)) yield* show(closing.value)
  yield* chats.markExpired(questionId)
})

/** The order of everything that changes one question. */
export const orderingKey = (questionId: string): string => `chat ${questionId}`

const show = Effect.fnUntraced(function* ({
  draft,
  guildId,
  postId,
  question,
  questionId,
  state,
  threadId
}: ChatQuestion) {
  if (postId === undefined) return
  const body = View.question(questionId, question, draft, state, yield* (yield* Languages).ofGuild(guildId))
  const since = yield* Clock.currentTimeMillis
  yield* (yield* DiscordApi)
    .withSlot({ bucket: messagesOf(threadId), rank: { priority: "routine", since } }, ({ edit }) =>
      edit(threadId, postId, body)
    )
    .pipe(
      retryWhileUnavailable,
      Effect.catchAll((error) => Effect.logDebug("A question could not be closed", error.message))
    )
})
