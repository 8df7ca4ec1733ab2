import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Messages } from "../../messages/Messages.ts"
import * as CardLinks from "../../turn/session/CardLinks.ts"
import type { Posts } from "../../store/Posts.ts"
import { ArtifactCards } from "../../store/ArtifactCards.ts"
import { Threads } from "../../store/Threads.ts"
import * as View from "../../view/artifact/ArtifactList.ts"
import { reading } from "./ArtifactOption.ts"
import { type CommandHandler, type Component, say } from "../Command.ts"

/** `/artifacts list`: the artifacts of this thread's task, with links to their cards. */
export const ArtifactsList: CommandHandler<Posts | ArtifactCards | Threads> = {
  path: "artifacts list",
  describe: ({ commands }) => ({ ...commands.artifactsList, options: [] }),
  answers: "privately",
  action: reading,
  handle: ({ reply }, messages) => show(reply.channelId, 1, messages)
}

/** `f1:l:<page>`: another page of the current list. */
export const ArtifactsListPage: Component<Posts | ArtifactCards | Threads> = {
  id: /^f1:l:\d{1,6}$/,
  answers: "inPlace",
  action: reading,
  handle: ({ customId, reply }, messages) => show(reply.channelId, Number(customId.split(":")[2]), messages)
}

const show = Effect.fn("ArtifactsList.show")(function* (threadId: string, page: number, messages: Messages) {
  const thread = yield* (yield* Threads).find(threadId)
  if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
  const cards = yield* (yield* ArtifactCards).ofThread(threadId)
  const linkOf = yield* CardLinks.makeLinkLookup(thread.value)
  return Option.some(View.page(cards, page, (uri) => linkOf(uri)?.url, messages))
})
