import { type TemplateResult, html, nothing } from "lit"
import { icons } from "./Icons.ts"
import type { Message } from "./Types.ts"
import type { View } from "./View.ts"

const OFFERED = [
  ["👍", "thumbs up"],
  ["❤️", "heart"],
  ["😄", "smile"],
  ["🎉", "party"],
  ["👀", "eyes"],
  ["✅", "check"],
  ["❌", "cross"]
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
        @click=${() => void view.acting.react(message, emoji, !reaction.me)}
      >
        ${emoji} <span>${reaction.count}</span>
      </button>`
    })}
  </div>`
}

/** Offers a few emoji to react with. */
export const reactionPicker = (message: Message, view: View): TemplateResult =>
  html`<details
    class="react"
    @keydown=${(event: KeyboardEvent) => {
      if (event.key === "Escape" && event.currentTarget instanceof HTMLDetailsElement) event.currentTarget.open = false
    }}
    @focusout=${(event: FocusEvent) => {
      const menu = event.currentTarget as HTMLDetailsElement
      if (!(event.relatedTarget instanceof Node && menu.contains(event.relatedTarget))) menu.open = false
    }}
  >
    <summary title="Add reaction" aria-label="Add reaction">${icons.smile}</summary>
    <div class="react-menu">
      ${OFFERED.map(
        ([emoji, name]) =>
          html`<button
            type="button"
            aria-label=${name}
            @click=${(event: Event) => {
              ;(event.currentTarget as HTMLElement).closest("details")?.removeAttribute("open")
              void view.acting.react(message, emoji, true)
            }}
          >
            ${emoji}
          </button>`
      )}
    </div>
  </details>`
