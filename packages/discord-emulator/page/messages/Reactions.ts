import { type TemplateResult, html, nothing } from "lit"
import { icons } from "../widgets/Icons.ts"
import { menu, menuItem } from "../widgets/Menu.ts"
import type { Message } from "../model/Types.ts"
import type { View } from "../actions/View.ts"

const OFFERED_EMOJIS = [
  ["👍", "thumbs up"],
  ["❤️", "heart"],
  ["😄", "smile"],
  ["🎉", "party"],
  ["👀", "eyes"],
  ["✅", "check"],
  ["❌", "cross"],
  ["👎", "thumbs down"],
  ["🔥", "fire"],
  ["🚀", "rocket"],
  ["🤔", "thinking"],
  ["😢", "sad"],
  ["🙏", "thanks"],
  ["💯", "hundred"]
] as const

/** Shows the reactions a message got; a press adds or takes back one's own. */
export const reactionBar = (message: Message, view: View): unknown => {
  const reactions = message.reactions ?? []
  if (reactions.length === 0) return nothing
  return html`<div class="reactions">
    ${reactions.map((reaction) => {
      const emoji = reaction.emoji.name ?? ""
      return html`<button
        type="button"
        class=${reaction.me ? "mine" : ""}
        aria-pressed=${reaction.me}
        aria-label="${emoji}, ${reaction.count}"
        @click=${() => void view.actions.react(message, emoji, !reaction.me)}
      >
        ${emoji} <span>${reaction.count}</span>
      </button>`
    })}
  </div>`
}

/** Offers a few emoji to react with. */
export const reactionPicker = (message: Message, view: View): TemplateResult =>
  menu(
    "react",
    "Add reaction",
    icons.smile,
    OFFERED_EMOJIS.map(([emoji, name]) =>
      menuItem(html`<span aria-hidden="true">${emoji}</span><span class="hidden">${name}</span>`, () => {
        void view.actions.react(message, emoji, true)
      })
    )
  )
