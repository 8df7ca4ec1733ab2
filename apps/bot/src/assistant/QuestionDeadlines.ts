import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
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
    const now = yield* Clock.currentTimeMillis
    const limited = yield* chats.questionsWithDeadline
    const isDue = ({ question }: ChatQuestion) => AssistantQuestion.isExpired(question, now)
    yield* Effect.forEach(limited.filter(isDue), close, { concurrency: 4, discard: true })
    const next = Math.min(...limited.filter((one) => !isDue(one)).map(({ question }) => question.expiresAt ?? Infinity))
    // A longer timer would fire at once.
    yield* Effect.raceFirst(Queue.take(shown), Effect.sleep(Math.min(next - now, 86_400_000)))
  }
})

/** Shows that the time is over, and then stores it, so that a restart in between shows it again. */
const close = Effect.fnUntraced(function* (question: ChatQuestion) {
  const chats = yield* Chats
  yield* show({ ...question, state: "expired" })
  if (yield* chats.expire(question.questionId)) return
  // An answer was on its way.
  const now = yield* chats.question(question.questionId)
  if (Option.isSome(now)) yield* show(now.value)
})

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
