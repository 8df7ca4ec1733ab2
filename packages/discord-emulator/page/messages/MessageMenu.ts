import { type TemplateResult, html, nothing } from "lit"
import { nameIn } from "../model/Commands.ts"
import { icons } from "../widgets/Icons.ts"
import { menu, menuItem, openMenuIn } from "../widgets/Menu.ts"
import { reactionPicker } from "./Reactions.ts"
import type { Message } from "../model/Types.ts"
import type { View } from "../actions/View.ts"

const MESSAGE_COMMAND = 3

/** Shows what can be done with a message: beside it, and all of it in its menu. */
export const toolbar = (message: Message, view: View): TemplateResult => {
  const isOwn = message.author.id === view.state.me
  return html`<div class="toolbar" role="group" aria-label="Message actions">
    ${reactionPicker(message, view)}
    <button type="button" title="Reply" aria-label="Reply" @click=${() => view.composer.replyTo(message.id)}>
      ${icons.reply}
    </button>
    ${
      isOwn
        ? html`<button type="button" title="Edit" aria-label="Edit" @click=${() => view.actions.startEdit(message)}>
            ${icons.edit}
          </button>`
        : nothing
    }
    ${
      mayDelete(message, view)
        ? html`<button
            type="button"
            class="danger"
            title="Delete"
            aria-label="Delete"
            @click=${() => view.actions.confirmDelete(message.id)}
          >
            ${icons.trash}
          </button>`
        : nothing
    }
    ${menu("more", "More", icons.more, items(message, view))}
  </div>`
}

/** Opens a message's menu by the right button, unless that is about a link, a picture or chosen text. */
export const onContextMenu = (event: Event): void => {
  const { currentTarget: message, target } = event
  if (!(message instanceof Element) || !(target instanceof Element)) return
  if (target.closest("a, img, video, audio, textarea, input") !== null) return
  if (getSelection()?.toString() !== "") return
  if (openMenuIn(message, "more")) event.preventDefault()
}

const mayDelete = (message: Message, view: View): boolean =>
  message.author.id === view.state.me ||
  view.state.channels.find(({ id }) => id === message.channel_id)?.canManage === true

const items = (message: Message, view: View): unknown => {
  const channel = view.state.channels.find(({ id }) => id === message.channel_id)
  const hasThread = view.state.channels.some(({ id }) => id === message.id)
  const commands = view.state.commands.filter(({ type }) => type === MESSAGE_COMMAND)
  return html`${
    channel?.canThread === true && !hasThread
      ? menuItem(html`${icons.thread} Start a thread`, () => view.actions.openNewThread(message.channel_id, message.id))
      : nothing
  }${
    message.content === ""
      ? nothing
      : menuItem(html`${icons.copy} Copy the text`, () => void navigator.clipboard.writeText(message.content))
  }${menuItem(html`${icons.copy} Copy the message's id`, () => void navigator.clipboard.writeText(message.id))}${
    commands.length === 0 ? nothing : html`<p class="pop-title" role="presentation">Apps</p>`
  }${commands.map((command) =>
    menuItem(
      html`${icons.slash} ${nameIn(command)}`,
      () => void view.actions.runContextMenuCommand(command.name, { message })
    )
  )}`
}
