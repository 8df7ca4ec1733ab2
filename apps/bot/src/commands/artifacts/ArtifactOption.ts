import {
  type APIApplicationCommandStringOption,
  ApplicationCommandOptionType
} from "../../discord/ApplicationCommands.ts"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Action } from "../../model/Access.ts"
import type { SlashCommand, ReplyTo } from "../../discord/DiscordEvent.ts"
import type { Messages } from "../../messages/Messages.ts"
import { type ArtifactCard, nameOf } from "../../model/ArtifactCard.ts"
import { ArtifactCards } from "../../store/ArtifactCards.ts"
import { Threads } from "../../store/Threads.ts"
import * as View from "../../view/artifact/ArtifactList.ts"
import type { Suggest } from "../Command.ts"

/** The option that names an artifact; a suggestion's value is `#` and its number. */
export const artifactOption = (description: string, required: boolean): APIApplicationCommandStringOption => ({
  type: ApplicationCommandOptionType.String,
  name: "name",
  description,
  required,
  autocomplete: true,
  max_length: 100
})

/** The action for the policy on the task of this thread. */
export const reading = ({
  reply
}: {
  readonly reply: Pick<ReplyTo, "channelId">
}): Effect.Effect<Action, never, Threads> =>
  Effect.flatMap(Threads, (threads) => threads.find(reply.channelId)).pipe(
    Effect.map(Option.match({ onNone: () => ({ _tag: "NothingHere" }), onSome: (task) => ({ _tag: "Read", task }) }))
  )

/** Suggests artifacts of this thread's task, newest first, that match the typed text. */
export const suggestArtifacts = (matches: (card: ArtifactCard) => boolean): Suggest<ArtifactCards | Threads> => ({
  action: reading,
  handle: Effect.fn("ArtifactOption.suggest")(function* ({ focused, reply }, messages) {
    const cards = yield* (yield* ArtifactCards).ofThread(reply.channelId)
    return matching(cards.filter(matches), focused.value, messages)
      .toReversed()
      .map((card) => ({ name: View.cardLabel(card, messages, 100), value: `#${card.number}` }))
  })
})

/** Finds the artifact of the option: by number, by name, or the newest whose name contains the text. */
export const findArtifact = (
  cards: ReadonlyArray<ArtifactCard>,
  { options }: Pick<SlashCommand, "options">,
  messages: Messages
): ArtifactCard | undefined => {
  const words = String(options["name"] ?? "").trim()
  const picked = /^#(\d{1,6})$/.exec(words)?.[1]
  if (picked !== undefined) return cards.find(({ number }) => number === Number(picked))
  const exact = cards.findLast((card) => namesOf(card, messages).includes(words.toLowerCase()))
  return exact ?? (words === "" ? undefined : matching(cards, words, messages).at(-1))
}

const matching = (
  cards: ReadonlyArray<ArtifactCard>,
  typed: string,
  messages: Messages
): ReadonlyArray<ArtifactCard> => {
  const words = typed.trim().toLowerCase()
  return cards.filter(
    (card) => namesOf(card, messages).some((name) => name.includes(words)) || `#${card.number}` === words
  )
}

/** The searchable names of an artifact: its own and the displayed one. */
const namesOf = (card: ArtifactCard, messages: Messages): ReadonlyArray<string> =>
  [nameOf(card), View.cardName(card, messages, 100)].map((name) => name.toLowerCase())
