import type { Conversation, Item } from "@heddle/bot/model/Conversation"
import { english } from "@heddle/bot/messages/Translations"
import * as View from "@heddle/bot/view/Turn"

/** The posts of a turn, as the view makes them at once. */
export const posts = (turn: Conversation) => View.posts(turn, english)

/** The view of a turn that grows. */
export const view = (taskName: string) => View.view(taskName, english, 10 * 1024 * 1024)

export const turn = (items: ReadonlyArray<Item>, more: Partial<Conversation> = {}): Conversation => ({
  turnId: "1",
  items,
  cards: [],
  cardLinks: [],
  ...more
})

/** A permission request. */
export const request = (n: number, outcome: Extract<Item, { _tag: "AgentRequest" }>["outcome"]): Item => ({
  _tag: "AgentRequest",
  id: `r${n}`,
  form: "permission",
  title: `Request ${n}`,
  detail: "",
  options: [{ name: "Yes", kind: "allow_once" }],
  questions: [],
  draft: {},
  questionIndex: 0,
  optionPage: 0,
  deadline: 0,
  outcome
})
