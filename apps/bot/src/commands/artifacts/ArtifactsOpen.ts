import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as CardLinks from "../../turn/session/CardLinks.ts"
import type { Posts } from "../../store/Posts.ts"
import { ArtifactCards } from "../../store/ArtifactCards.ts"
import { Threads } from "../../store/Threads.ts"
import * as View from "../../view/artifact/ArtifactList.ts"
import { oneLine } from "../../text/Truncate.ts"
import { artifactOption, findArtifact, reading, suggestArtifacts } from "./ArtifactOption.ts"
import { type CommandHandler, say } from "../Command.ts"

/** `/artifacts open`: a link to the card of one artifact. */
export const ArtifactsOpen: CommandHandler<Posts | ArtifactCards | Threads> = {
  path: "artifacts open",
  describe: ({ commands: { artifactsOpen } }) => ({
    description: artifactsOpen.description,
    options: [artifactOption(artifactsOpen.name, true)]
  }),
  suggest: suggestArtifacts(() => true),
  answers: "privately",
  action: reading,
  handle: Effect.fn("ArtifactsOpen.handle")(function* (event, messages) {
    const thread = yield* (yield* Threads).find(event.reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const { artifacts } = messages
    const card = findArtifact(yield* (yield* ArtifactCards).ofThread(event.reply.channelId), event, messages)
    if (card === undefined)
      return Option.some(say(artifacts.noSuchArtifact(oneLine(String(event.options["name"]), 100))))
    const name = View.cardName(card, messages, 100)
    const link = (yield* CardLinks.makeLinkLookup(thread.value))(card.uri)
    if (link === undefined) return Option.some(say(artifacts.noCard(name)))
    return Option.some({
      content: artifacts.opened(name),
      rows: [[{ label: artifacts.openButton, style: "primary", url: link.url }]]
    })
  })
}
