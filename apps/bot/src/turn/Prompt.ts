import type { AcpSession } from "@heddle/acp/AcpSession"
import * as Effect from "effect/Effect"
import { DiscordApi } from "../discord/DiscordApi.ts"
import { untilAnswered } from "../discord/Retry.ts"
import { Watchdog } from "../concurrency/Watchdog.ts"
import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import * as Attachments from "./Attachments.ts"
import { type Entry, Inbox } from "../store/Inbox.ts"
import * as Speaker from "./Speaker.ts"
import * as Permitted from "./Permitted.ts"
import type { Thread } from "../store/Threads.ts"

/**
 * Makes the prompt of a message, and finds out whether its author may still say it: `refusal` says why not. What the
 * agent takes no files of is said in the thread.
 */
export const prepare = Effect.fn("Prompt.prepare")(function* (
  { entry, messages, thread }: { readonly entry: Entry; readonly messages: Messages; readonly thread: Thread },
  session: Pick<AcpSession, "agent">,
  text: string
) {
  const agent = yield* session.agent
  const shared = yield* (yield* Inbox).shared(thread.threadId)
  const { during } = yield* Watchdog
  const { blocks, left } = yield* during(
    `Fetching the files of a message in thread ${thread.threadId}`,
    Attachments.toPrompt(
      text === "" ? "" : Speaker.words({ ...entry, content: text }, shared && !entry.first),
      entry.attachments,
      agent.agentCapabilities?.promptCapabilities ?? {}
    )
  )
  if (left.length > 0) {
    const api = yield* DiscordApi
    const words = { content: messages.filesNotTaken(left.map(plain).join(", ")) }
    const nonce = `f${entry.eventId}`.slice(0, 25)
    yield* Effect.ignoreLogged(untilAnswered(api.create(thread.threadId, words, { nonce })))
  }
  // The service may have been away for long, or its owner not connected.
  yield* session.agent
  return { blocks, refusal: yield* Permitted.refusal(entry, thread) }
})
