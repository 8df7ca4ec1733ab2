import { type TemplateResult, html, nothing } from "lit"
import { attachmentView } from "./AttachmentView.ts"
import { embedView } from "./EmbedView.ts"
import { markdown } from "../text/Markdown.ts"
import type { Message } from "../model/Types.ts"
import type { View } from "../actions/View.ts"

/** Shows what a message forwards, as it was then. */
export const forwardedView = (message: Message, view: View): TemplateResult | typeof nothing => {
  const snapshot = message.message_snapshots?.[0]?.message
  if (snapshot === undefined) return nothing
  return html`<blockquote class="forwarded" aria-label="Forwarded message">
    <small>Forwarded</small>
    ${snapshot.content === "" ? nothing : html`<div class="markup">${markdown(snapshot.content, view.names)}</div>`}
    ${snapshot.attachments.map(attachmentView)}
    ${snapshot.embeds.map((embed) => embedView(embed, view.names, view.now))}
  </blockquote>`
}
