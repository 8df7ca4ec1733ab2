import type { Messages } from "../../messages/Messages.ts"
import { type ArtifactCard, nameOf } from "../../model/ArtifactCard.ts"
import { oneLine } from "../../text/Truncate.ts"

/** A card's title, translated when it only names the kind; empty for an unnamed file. */
export const titleOf = (card: Pick<ArtifactCard, "body">, { turnPosts }: Messages, maxLength: number): string => {
  const { _tag } = card.body
  const kindTitle = { Plan: turnPosts.plan, Tasks: turnPosts.tasks, Overview: turnPosts.summary, Media: "", Other: "" }[
    _tag
  ]
  return isKindOnly(card) ? kindTitle : oneLine(nameOf(card), maxLength)
}

/** Whether a title only names the artifact's kind, as "Plan" does. */
export const isKindOnly = ({ body }: Pick<ArtifactCard, "body">): boolean =>
  body._tag !== "Media" && body._tag !== "Other" && kindPatterns[body._tag].test(nameOf({ body }).trim())

const kindPatterns = {
  Plan: /^(plan|计划|方案)?$/i,
  Tasks: /^(tasks|task list|to-?dos?|to-?do list|任务|任务清单|待办)?$/i,
  Overview: /^(summary|overview|总结|摘要|概述|概览)?$/i
} as const
