import { type TemplateResult, html, nothing } from "lit"
import { channelIcon } from "./widgets/ChannelIcon.ts"
import { composer } from "./composer/Composer.ts"
import type { RunnableCommand } from "./model/Commands.ts"
import { forumView } from "./messages/ForumView.ts"
import { icons } from "./widgets/Icons.ts"
import { markdown, plainText } from "./text/Markdown.ts"
import { createDialog } from "./dialogs/CreateDialog.ts"
import { membersPanel } from "./sidebar/MembersPanel.ts"
import { messageList } from "./messages/MessageList.ts"
import { deleteDialog } from "./dialogs/DeleteDialog.ts"
import { modalDialog } from "./dialogs/ModalDialog.ts"
import type { Scroller } from "./widgets/Scroller.ts"
import { sidebar } from "./sidebar/Sidebar.ts"
import { type Channel, ChannelType } from "./model/Types.ts"
import type { View } from "./actions/View.ts"
import { nameOf } from "./model/Names.ts"

/** Shows the whole page. */
export const app = (
  view: View,
  scroller: Scroller,
  missedCount: number,
  commandMatches: ReadonlyArray<RunnableCommand>
): TemplateResult => {
  const { state } = view
  const channel = state.channels.find((entry) => entry.id === state.currentChannel)
  return html`<a class="skip" href="#text" @click=${focusTextBox}>Skip to the message box</a>
    ${sidebar(view)}
    <main @dragover=${allowDrop} @drop=${(event: DragEvent) => drop(event, view)}>
      ${header(view, channel)} ${banner(view)}
      <div class="conversation">
        ${channel?.type === ChannelType.forum ? forumView(view, channel) : messageList(view, channel, scroller, missedCount)}
      </div>
      ${composerArea(view, channel, commandMatches)}
    </main>
    ${membersPanel(view)} ${modalDialog(view)} ${deleteDialog(view)} ${createDialog(view)}`
}

const composerArea = (
  view: View,
  channel: Channel | undefined,
  commandMatches: ReadonlyArray<RunnableCommand>
): TemplateResult => {
  if (view.state.me !== undefined && channel === undefined) {
    return html`<p class="nowhere">This channel is no longer there. Choose another one on the left.</p>`
  }
  if (channel?.type === ChannelType.forum) return html``
  if (channel?.canSend === false) {
    return html`<p class="nowhere" role="status">
      ${icons.lock} ${channel.locked === true ? "This thread is locked." : "You may read here, but not write."}
    </p>`
  }
  return composer(view, channel, commandMatches)
}

const header = (view: View, channel: Channel | undefined): TemplateResult => {
  const parent = view.state.channels.find(
    (entry) => entry.id === channel?.parentId && entry.type !== ChannelType.category
  )
  return html`<header class="top">
    <button
      type="button"
      class="icon-button only-narrow"
      aria-label="Show the channel list"
      aria-expanded=${view.state.drawer}
      @click=${() => view.actions.openDrawer(true)}
    >
      ${icons.menu}${view.state.unread.size > 0 ? html`<span class="dot"></span>` : nothing}
    </button>
    ${
      parent === undefined
        ? nothing
        : html`<a class="parent" href=${view.hrefOf(parent.id)}
              >${channelIcon(parent)}<span class="name">${parent.name}</span></a
            ><span class="sep" aria-hidden="true">›</span>`
    }
    <h2>
      ${channelIcon(channel)}<span class="name">${channel === undefined ? "" : nameOf(channel, view.state)}</span>
    </h2>
    ${channel?.archived === true ? html`<span class="tag quiet">archived</span>` : nothing}
    ${channel?.locked === true ? html`<span class="tag quiet">locked</span>` : nothing}
    ${
      channel?.topic === undefined || channel.type === ChannelType.forum
        ? nothing
        : html`<span class="topic" title=${plainText(channel.topic, view.names)}
            >${markdown(channel.topic, view.names)}</span
          >`
    }
    <button
      type="button"
      class="icon-button members-button"
      aria-label=${view.state.membersShown ? "Hide the members" : "Show the members"}
      title=${view.state.membersShown ? "Hide the members" : "Show the members"}
      aria-pressed=${view.state.membersShown}
      @click=${() => view.actions.openMembers(!view.state.membersShown)}
    >
      ${icons.people}
    </button>
  </header>`
}

const banner = (view: View): unknown => {
  switch (view.state.connection) {
    case "live":
      return nothing
    case "connecting":
      return html`<p class="banner quiet" role="status">Connecting…</p>`
    case "lost":
      return html`<p class="banner" role="alert">
        ${icons.warning} Connection lost. Trying to reconnect; what you wrote is kept.
      </p>`
  }
}

const focusTextBox = (event: Event): void => {
  event.preventDefault()
  document.querySelector<HTMLElement>("#text, .option-input")?.focus()
}

const allowDrop = (event: DragEvent): void => {
  if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault()
}

const drop = (event: DragEvent, view: View): void => {
  const files = [...(event.dataTransfer?.files ?? [])]
  const [first] = files
  if (first === undefined) return
  event.preventDefault()
  if (view.state.currentChannel === undefined) return
  const field = document.querySelector<HTMLElement>(".file-field [data-option]")?.dataset["option"]
  if (field === undefined) view.composer.attach(files)
  else view.composer.fill(field, { text: first.name, file: first })
}
