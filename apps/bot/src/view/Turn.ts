import { type Conversation, type Did, type End, isUnfinished, type Item, type Notice } from "../thread/Conversation.ts"
import * as Ask from "./Ask.ts"
import * as Cards from "./Cards.ts"
import { duration, fit, oneLine, plain } from "./Fit.ts"
import * as Pages from "./Pages.ts"
import * as Post from "./Post.ts"
import { readable } from "./Tables.ts"

/** The posts of one turn, in the order in which a reader should find them. */
export const posts = (turn: Conversation): ReadonlyArray<Post.Post> => [
  ...Cards.opening(turn.cards),
  ...runs(turn.items.map((item) => settled(item, turn.end))).flatMap(run),
  ...Cards.closing(turn.cards),
  ...(turn.notice === undefined ? [] : [notice(turn.notice)]),
  ...(turn.end === undefined ? [] : [end(turn.end)])
]

/** After a turn that was cut off, nothing goes on that it had begun. */
const settled = (item: Item, end: End | undefined): Item => {
  if (item._tag !== "Did" || !isUnfinished(item.status) || end === undefined) return item
  return end._tag === "Done" && end.stopReason === "end_turn" ? item : { ...item, status: "cancelled" }
}

type Run = Exclude<Item, Did> | { readonly _tag: "Tools"; readonly calls: readonly [Did, ...Array<Did>] }

/** Tool calls that follow each other share one post. */
const runs = (items: ReadonlyArray<Item>): ReadonlyArray<Run> => {
  const out: Array<Run> = []
  for (const item of items) {
    const last = out.at(-1)
    if (item._tag !== "Did") out.push(item)
    else if (last?._tag === "Tools") out[out.length - 1] = { _tag: "Tools", calls: [...last.calls, item] }
    else out.push({ _tag: "Tools", calls: [item] })
  }
  return out
}

const run = (each: Run): ReadonlyArray<Post.Post> => {
  switch (each._tag) {
    case "Said":
      return Pages.split(readable(each.text))
        .map((page, index) => Post.text(`text:${each.id}:${index}`, Pages.shown(page)))
        .filter((post) => post.content.trim() !== "")
    case "Tools":
      return [Post.text(`tools:${each.calls[0].id}`, tools(each.calls))]
    case "Asked":
      return [Ask.post(each)]
    case "Remarked":
      return [Post.text(`remark:${each.id}`, `-# ℹ️ ${plain(oneLine(each.text, 1500))}`)]
  }
}

const signs: Record<string, string> = { pending: "▢", in_progress: "▸", completed: "✅", failed: "❌", cancelled: "✖" }

/** The newest calls that fit one message; how many older ones there are is said. */
const tools = (calls: ReadonlyArray<Did>): string => {
  const lines = calls.map((call) => `-# ${signs[call.status] ?? "▸"} ${plain(oneLine(call.title, 150))}`)
  const shown: Array<string> = []
  let room = Pages.limit - 40
  for (const line of lines.toReversed()) {
    room -= line.length + 1
    if (room < 0) break
    shown.unshift(line)
  }
  const hidden = lines.length - shown.length
  return [...(hidden > 0 ? [`-# … ${hidden} earlier steps`] : []), ...shown].join("\n")
}

const notice = (what: Notice): Post.Post => ({
  ...Post.text("notice", what.text),
  buttons: what._tag === "Reconnect" ? [[{ label: "Connect again", style: "primary", customId: what.customId }]] : []
})

const stopped: Record<string, string> = {
  max_tokens: "stopped: the answer reached its length limit",
  max_turn_requests: "stopped: too many steps in one round",
  refusal: "the agent declined to go on",
  cancelled: "stopped",
  interrupted: "stopped before it was finished"
}

const end = (how: End): Post.Post => {
  if (how._tag === "Failed") {
    return Post.box("end", { title: "This did not work", description: fit(how.text, 4000), color: Cards.colors.bad })
  }
  const word =
    how.stopReason === "end_turn" ? "done" : (stopped[how.stopReason] ?? `ended: ${oneLine(how.stopReason, 60)}`)
  const used = how.tokens === undefined ? [] : [`${how.tokens.toLocaleString("en")} tokens`]
  return Post.text("end", `-# ${[word, duration(how.milliseconds), ...used].join(" · ")}`)
}
