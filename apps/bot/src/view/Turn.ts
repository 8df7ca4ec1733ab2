import { type Conversation, type End, type Notice, plausibleTokens } from "../model/Conversation.ts"
import { lookup } from "../text/Lookup.ts"
import * as ArtifactCards from "./ArtifactCards.ts"
import { colors } from "./Colors.ts"
import { titleOf } from "./artifact/CardTitle.ts"
import { tell } from "../messages/Explain.ts"
import type { Messages } from "../messages/Messages.ts"
import { plain } from "../text/Escape.ts"
import { answerName } from "../text/FileName.ts"
import { formatDuration } from "../text/Format.ts"
import { oneLine, truncate } from "../text/Truncate.ts"
import * as FileOfferCard from "./FileOfferCard.ts"
import * as Pages from "../text/Pages.ts"
import * as Post from "../model/Post.ts"
import * as TurnBody from "./TurnBody.ts"

/** The posts of one turn, in reading order. */
export const posts = (turn: Conversation, messages: Messages): ReadonlyArray<Post.Post> =>
  view("", messages, 10 * 1024 * 1024)(turn)

/**
 * {@link posts} for a running turn of a named task. A page that was full before keeps its post object. `isPosted`
 * returns whether a key's post is in the thread. Unposted requests are not withdrawn in public, and after a stop no
 * long rest is posted. At the end a long answer also comes as a file, with the text that exceeds the posts. A file
 * above Discord's upload limit is split. The end stands below the last words, or is a post below other things.
 */
export const view = (
  taskName: string,
  messages: Messages,
  uploadLimit: number
): ((turn: Conversation, isPosted?: (key: string) => boolean) => ReadonlyArray<Post.Post>) => {
  const toBody = TurnBody.maker(messages, uploadLimit)
  const files = memoizeLast((text: string) => splitIntoFiles(text, uploadLimit))
  return (turn, isPosted = () => false) => {
    const { cards, prompt = "", turnId } = turn
    const context = { turnId, words: turn.end && agentText(turn), prompt, uploadLimit, messages, isPosted }
    const { cutoff, pages, posts } = toBody(turn, isPosted)
    const answer =
      turn.end !== undefined && (cutoff !== undefined || (pages > 3 && isLong(turn)))
        ? wholeAnswer(turn, taskName, files, messages)
        : []
    const isInFile = cutoff?.hasText === true && answer.length > 0
    const shown = [
      ...ArtifactCards.cardsAbove(cards, context),
      ...(cutoff === undefined
        ? posts
        : posts.toSpliced(cutoff.at, 0, TurnBody.restPost("rest", turn, cutoff, isInFile, messages))),
      ...ArtifactCards.cardsBelow(cards, context),
      ...answer,
      ...requestCountPosts(turn, messages),
      ...(turn.offer === undefined ? [] : [FileOfferCard.post(turn.offer, turn.turnId, messages)]),
      ...(turn.notice === undefined ? [] : [notice(turn.notice, messages)]),
      ...(turn.mayLackOutput === true && turn.end?._tag === "Done"
        ? [Post.text("gap", messages.turnPosts.mayLackOutput)]
        : [])
    ]
    if (turn.end === undefined) return shown
    if (turn.lateOutput === true) return [...shown, ...lateEnd(turn, messages)]
    return addEnd(shown, end(turn.end, turn, messages), isPosted)
  }
}

/** Adds the end of a turn: below its last words where only cards follow them, otherwise a post. Once shown it stays there. */
const addEnd = (
  shown: ReadonlyArray<Post.Post>,
  end: Post.Post,
  isPosted: (key: string) => boolean
): ReadonlyArray<Post.Post> => {
  const at = shown.findLastIndex(({ key }) => Post.isOwnText(key))
  const words = shown[at]
  const isInWords = isPosted(Post.endLineKey)
  // A replay may lack the words.
  if (words === undefined) return isInWords ? shown : [...shown, end]
  const content = `${words.content}\n${end.content}`
  const isText = end.embeds.length === 0 && !end.content.includes("`")
  const isLast = isInWords || shown.slice(at + 1).every(({ key }) => Post.isArtifactCard(key))
  return isText && isLast && content.length <= Pages.limit && !isPosted("end")
    ? shown.with(at, { ...words, content, rows: end.rows, end })
    : [...shown, end]
}

/** Splits a text into files with a byte limit. */
const splitIntoFiles = (text: string, limit: number): ReadonlyArray<string> => {
  const bytes = Buffer.from(text)
  const chunks: Array<string> = []
  for (let from = 0; from < bytes.length;) {
    let to = Math.min(bytes.length, from + limit)
    // Do not cut inside a character.
    while (to < bytes.length && to > from + 4 && ((bytes[to] ?? 0) & 0xc0) === 0x80) to--
    chunks.push(bytes.toString("utf8", from, to))
    from = to
  }
  return chunks
}

/** Caches the files of the newest text. */
const memoizeLast = <A>(make: (text: string) => A): ((text: string) => A) => {
  let cached: { readonly text: string; readonly result: A } | undefined
  return (text) => {
    if (cached?.text !== text) cached = { text, result: make(text) }
    return cached.result
  }
}

/** Whether the text exceeds one message by itself, without steps and tables. */
const isLong = ({ items }: Conversation): boolean =>
  items.reduce((sum, item) => (TurnBody.isAgentMessage(item) ? sum + item.text.length : sum), 0) > Pages.limit

const agentText = ({ items }: Conversation): string =>
  items
    .filter(TurnBody.isAgentMessage)
    .map((item) => item.text)
    .join("\n\n")

/** The agent's whole text of a turn as one or more files. */
const wholeAnswer = (
  turn: Conversation,
  taskName: string,
  files: (text: string) => ReadonlyArray<string>,
  { turnPosts }: Messages
): ReadonlyArray<Post.Post> => {
  const parts = files(agentText(turn))
  return parts.map((part, index) => {
    const number = parts.length === 1 ? undefined : index + 1
    const key = index === 0 ? "answer" : `answer:${index + 1}`
    return {
      ...Post.text(key, index === 0 ? turnPosts.wholeAnswer(parts.length) : ""),
      files: [
        {
          name: answerName(taskName, turn.turnId, number),
          uri: `${key}:${turn.turnId}`,
          version: String(part.length),
          text: part
        }
      ]
    }
  })
}

/** The numbers of waiting and of refused requests. */
const requestCountPosts = (
  { end, waitingRequests = 0, refusedRequests = 0 }: Conversation,
  { requestCards }: Messages
): ReadonlyArray<Post.Post> => [
  ...(refusedRequests === 0 ? [] : [Post.text("refused", requestCards.requestsRefused(refusedRequests))]),
  ...(waitingRequests === 0 || end !== undefined
    ? []
    : [Post.text("held", requestCards.requestsWaiting(waitingRequests))])
]

const notice = (what: Notice, { turnPosts }: Messages): Post.Post => ({
  ...Post.text("notice", what.text),
  rows:
    what._tag === "Reconnect" ? [[{ label: turnPosts.connectButton, style: "primary", customId: what.customId }]] : []
})

/** Links to the cards that a turn changed. */
const changedCards = ({ cardLinks }: Conversation, messages: Messages): ReadonlyArray<string> => {
  const changed = cardLinks.slice(0, 5).map(({ card, url }) => `[${plain(titleOf(card, messages, 60)) || "…"}](${url})`)
  return changed.length === 0 ? [] : [messages.turnPosts.changedAbove(changed, cardLinks.length - changed.length)]
}

const outputsButton = ({ hasOutputs = false, turnId }: Conversation, { stepOutputs }: Messages) =>
  hasOutputs ? [{ label: stepOutputs.button, style: "secondary" as const, customId: `t1:${turnId}` }] : []

/** Below late output, whose end nobody knows: only what can be opened. */
const lateEnd = (turn: Conversation, messages: Messages): ReadonlyArray<Post.Post> => {
  const links = changedCards(turn, messages)
  const buttons = outputsButton(turn, messages)
  if (buttons.length === 0) return links.length === 0 ? [] : [Post.text("end", links.join("\n"))]
  return [{ ...Post.text("end", [...links, messages.turnPosts.wentOn].join("\n")), rows: [buttons] }]
}

const end = (ending: End, turn: Conversation, messages: Messages): Post.Post => {
  const { prompt = "", turnId } = turn
  const { turnPosts } = messages
  const links = changedCards(turn, messages)
  const buttons: ReadonlyArray<Post.Button> = [
    ...(ending._tag === "Failed" && ending.resend === true
      ? [{ label: turnPosts.sendAgain, style: "primary" as const, customId: `s1:${turnId}` }]
      : []),
    ...outputsButton(turn, messages)
  ]
  const rows = buttons.length === 0 ? [] : [buttons]
  if (ending._tag === "Failed") {
    const box = Post.embed("end", {
      title: turnPosts.failed,
      description: truncate(ending.text, 4000),
      color: colors.bad
    })
    return { ...box, content: links.join("\n"), rows }
  }
  const reason =
    ending.stopReason === "end_turn"
      ? turnPosts.done
      : (lookup<string>(turnPosts.stopped, ending.stopReason) ?? turnPosts.ended(code(ending.stopReason)))
  // A clock that was set back makes it negative.
  const duration = ending.milliseconds >= 0 ? [formatDuration(ending.milliseconds, turnPosts)] : []
  const tokens = plausibleTokens(ending.tokens)
  const usage = tokens === undefined ? [] : [turnPosts.tokens(tokens)]
  const footer = `-# ${[reason, ...duration, ...usage].join(" · ")}`
  // A person who repeats the message has to recognize it.
  const promptLine = ending.stopReason === "interrupted" ? oneLine(prompt, 80) : ""
  const lines = [...links, ...(promptLine === "" ? [] : [turnPosts.interruptedPrompt(promptLine)]), footer]
  return { ...Post.text("end", lines.join("\n")), rows }
}

/** The card of a message that a click sends. `prompted`: it may have been sent before, and nothing shows whether it arrived. */
export const resentCard = ({ failures, turnPosts, ...messages }: Messages, prompted: boolean): Post.Embed => ({
  title: turnPosts.failed,
  description: tell(
    messages,
    prompted ? { happened: failures.deliveryUnknown(false).happened, ...turnPosts.sentAgain } : turnPosts.isNext
  ),
  color: colors.bad
})

/** The card of a message that nobody needs to send once more. */
export const arrivedCard = ({ turnPosts, ...messages }: Messages): Post.Embed => ({
  title: turnPosts.arrivedTitle,
  description: tell(messages, turnPosts.arrived),
  color: colors.past
})

/** An unknown value as inline code; empty without visible characters. */
const code = (reason: string): string => {
  const shown = oneLine(reason, 60).replaceAll("`", "'")
  return shown === "" ? "" : `\`${shown}\``
}
