import { type TemplateResult, html } from "lit"
import { icons } from "../widgets/Icons.ts"
import { messageTime } from "../text/Time.ts"
import type { Message } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName } from "../model/Names.ts"

const RECIPIENT_ADD = 1
const RECIPIENT_REMOVE = 2
const NAME_CHANGE = 4
const PINNED = 6

/** Shows a system message; `undefined` for other messages. */
export const systemMessageView = (message: Message, view: View): TemplateResult | undefined => {
  const text = systemText(message)
  if (text === undefined) return undefined
  const author = view.state.people[message.author.id] ?? message.author
  return html`<article class="message notice" id="m${message.id}" tabindex="-1">
    <div class="gutter">${icons.chevron}</div>
    <div class="content">
      <b>${displayName(author)}</b> ${text}
      <time datetime=${message.timestamp}>${messageTime(new Date(message.timestamp), view.now)}</time>
    </div>
  </article>`
}

const systemText = (message: Message): TemplateResult | undefined => {
  const mentionedNames = message.mentions.map((person) => person.username).join(", ")
  switch (message.type) {
    case RECIPIENT_ADD:
      return html`added <b>${mentionedNames}</b> to the thread.`
    case RECIPIENT_REMOVE:
      return html`removed <b>${mentionedNames}</b> from the thread.`
    case NAME_CHANGE:
      return html`changed the name to <b>${message.content}</b>.`
    case PINNED:
      return html`pinned a message to this channel.`
    default:
      return undefined
  }
}
