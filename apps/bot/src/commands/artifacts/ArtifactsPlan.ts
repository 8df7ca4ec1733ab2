import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Messages } from "../../messages/Messages.ts"
import type { ArtifactCard } from "../../model/ArtifactCard.ts"
import { ArtifactCards } from "../../store/ArtifactCards.ts"
import { Threads } from "../../store/Threads.ts"
import { oneLine } from "../../text/Truncate.ts"
import * as View from "../../view/artifact/PlanVersions.ts"
import { artifactOption, findArtifact, reading, suggestArtifacts } from "./ArtifactOption.ts"
import { type CommandHandler, type Component, say } from "../Command.ts"

const isPlan = ({ body }: ArtifactCard): boolean => body._tag === "Plan"

/** `/artifacts plan`: the changes between two versions of a plan. */
export const ArtifactsPlan: CommandHandler<ArtifactCards | Threads> = {
  path: "artifacts plan",
  describe: ({ commands: { artifactsPlan } }) => ({
    description: artifactsPlan.description,
    options: [artifactOption(artifactsPlan.name, false)]
  }),
  suggest: suggestArtifacts(isPlan),
  answers: "privately",
  action: reading,
  handle: Effect.fn("ArtifactsPlan.handle")(function* (event, messages) {
    const thread = yield* (yield* Threads).find(event.reply.channelId)
    if (Option.isNone(thread)) return Option.some(say(messages.noTaskHere))
    const plans = (yield* (yield* ArtifactCards).ofThread(event.reply.channelId)).filter(isPlan)
    const words = oneLine(String(event.options["name"] ?? ""), 100)
    const plan = words === "" ? plans.at(-1) : findArtifact(plans, event, messages)
    if (plan !== undefined) return yield* show(event.reply.channelId, plan, {}, messages)
    return Option.some(say(words === "" ? messages.artifacts.noPlan : messages.artifacts.noSuchArtifact(words)))
  })
}

/** `f1:v:<number>`: the button of a plan's card. */
export const PlanVersionsButton: Component<ArtifactCards | Threads> = {
  id: /^f1:v:\d{1,6}$/,
  answers: "privately",
  action: reading,
  handle: ({ customId, reply }, messages) => choose(reply.channelId, customId, {}, messages)
}

/** `f1:vf:<number>:<to>` and `f1:vt:<number>:<from>`: selects one version of the comparison and keeps the other. */
export const PlanVersionsChoice: Component<ArtifactCards | Threads> = {
  id: /^f1:v[ft]:\d{1,6}:\d{1,6}$/,
  answers: "inPlace",
  action: reading,
  handle: ({ customId, reply, values }, messages) => {
    const [, side, , other] = customId.split(":")
    const [chosen, kept] = [Number(values[0]), Number(other)]
    const pair = side === "vf" ? { from: chosen, to: kept } : { from: kept, to: chosen }
    return choose(reply.channelId, customId, pair, messages)
  }
}

const choose = Effect.fnUntraced(function* (
  threadId: string,
  customId: string,
  pair: Partial<View.VersionPair>,
  messages: Messages
) {
  const number = Number(customId.split(":")[2])
  const plan = (yield* (yield* ArtifactCards).ofThread(threadId)).find((card) => card.number === number)
  if (plan === undefined) return Option.some(say(messages.artifacts.noPlan))
  return yield* show(threadId, plan, pair, messages)
})

const show = Effect.fn("ArtifactsPlan.show")(function* (
  threadId: string,
  plan: ArtifactCard,
  pair: Partial<View.VersionPair>,
  messages: Messages
) {
  const versions = yield* (yield* ArtifactCards).versions(threadId, plan.uri)
  return Option.some(View.page(plan, versions, pair, messages))
})
