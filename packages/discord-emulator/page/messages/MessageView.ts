import { type TemplateResult, html, nothing } from "lit"
import { live } from "lit/directives/live.js"
import { attachmentView } from "./AttachmentView.ts"
import { avatar } from "../widgets/Avatar.ts"
import { componentsView } from "./ComponentsView.ts"
import { embedView } from "./EmbedView.ts"
import { forwardedView } from "./ForwardedView.ts"
import { icons } from "../widgets/Icons.ts"
import { markdown, plainText } from "../text/Markdown.ts"
import { onContextMenu, toolbar } from "./MessageMenu.ts"
import { systemMessageView } from "./SystemMessage.ts"
import { reactionBar } from "./Reactions.ts"
import { fullDateTime, timeOfDay, messageTime } from "../text/Time.ts"
import { EPHEMERAL, LOADING, type Message, type Person } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName } from "../model/Names.ts"

const CONTEXT_MENU = 23
const THREAD_CREATED = 18
const THREAD_STARTER = 21
const IS_COMPONENTS_V2 = 1 << 15

/** Shows one message with everything that belongs to it; `grouped` omits the header, which the message above shows. */
export const messageView = (message: Message, grouped: boolean, view: View): TemplateResult => {
  if (message.type === THREAD_CREATED) return threadNotice(message, view)
  if (message.type === THREAD_STARTER) return threadStarter(message, view)
  const notice = systemMessageView(message, view)
  if (notice !== undefined) return notice
  const at = new Date(message.timestamp)
  const flags = message.flags ?? 0
  const ephemeral = (flags & EPHEMERAL) !== 0
  const editing = view.state.editing?.message === message.id
  const mentioned = message.mentions.some((person) => person.id === view.state.me)
  const classes = [
    "message",
    grouped ? "grouped" : "",
    ephemeral ? "ephemeral" : "",
    mentioned ? "mentioned" : "",
    editing ? "editing" : ""
  ].join(" ")
  const author = authorOf(message, view)
  return html`<article
    class=${classes}
    id="m${message.id}"
    tabindex="-1"
    aria-label="${displayName(author)}, ${timeOfDay(at)}"
    @contextmenu=${onContextMenu}
  >
    ${grouped ? nothing : context(message, view)}
    <div class="gutter">
      ${grouped ? html`<time class="hover-time" datetime=${message.timestamp}>${timeOfDay(at)}</time>` : avatar(author)}
    </div>
    <div class="content">
      ${grouped ? nothing : heading(message, view)} ${editing ? editor(view) : body(message, flags, view)}
      ${forwardedView(message, view)} ${filesAndEmbeds(message, view)} ${componentsView(message, view)}
      ${reactionBar(message, view)} ${threadCard(message, view)}
      ${
        view.state.messageErrors[message.id] === undefined
          ? nothing
          : html`<p class="refused" role="alert">${icons.warning} ${view.state.messageErrors[message.id]}</p>`
      }
      ${
        ephemeral
          ? html`<p class="only-you">
              ${icons.eye} Only you can see this •
              <button type="button" class="link" @click=${() => view.actions.dismiss(message)}>Dismiss message</button>
            </p>`
          : nothing
      }
    </div>
    ${editing || ephemeral ? nothing : toolbar(message, view)}
  </article>`
}

const heading = (message: Message, view: View): TemplateResult => {
  const at = new Date(message.timestamp)
  const author = authorOf(message, view)
  return html`<header>
    <span class="author">${displayName(author)}</span
    >${author.bot === true ? html`<span class="tag">APP</span>` : nothing}
    <time datetime=${message.timestamp} title=${fullDateTime(at)}>${messageTime(at, view.now)}</time>
  </header>`
}

const filesAndEmbeds = (message: Message, view: View): unknown => [
  message.attachments.length > 0 && ((message.flags ?? 0) & IS_COMPONENTS_V2) === 0
    ? html`<div class="attachments">
        ${message.attachments.filter((file) => !isEmbedded(message, file.url)).map(attachmentView)}
      </div>`
    : nothing,
  message.embeds.map((embed) => embedView(embed, view.names, view.now))
]

/** Returns the account behind a message, also when it is no longer in the server's list. */
export const authorOf = (message: Message, view: View): Person =>
  view.state.people[message.author.id] ?? {
    id: message.author.id,
    username: message.author.username,
    globalName: message.author.global_name ?? null,
    bot: message.author.bot === true
  }

const body = (message: Message, flags: number, view: View): unknown => {
  if ((flags & LOADING) !== 0 && message.content === "" && message.embeds.length === 0) {
    return html`<p class="thinking">
      <span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> ${displayName(authorOf(message, view))} is
      thinking…
    </p>`
  }
  const edited = message.edited_timestamp
  if (message.content === "") return nothing
  return html`<div class="markup">
    ${markdown(message.content, view.names)}${
      edited === null || edited === undefined
        ? nothing
        : html` <small class="edited" title=${fullDateTime(new Date(edited))}>(edited)</small>`
    }
  </div>`
}

// The message or command that the message responds to.
const context = (message: Message, view: View): unknown => {
  const interaction = message.interaction_metadata
  const name = commandName(message)
  if (interaction !== undefined && name !== undefined) {
    const person = view.state.people[interaction.user.id]
    return html`<div class="context">
      ${person === undefined ? nothing : avatar(person, "small")}
      <span
        ><b>${displayName(person ?? interaction.user)}</b> used
        <span class="mention">${message.type === CONTEXT_MENU ? name : `/${name}`}</span></span
      >
    </div>`
  }
  if (message.message_reference === undefined || message.type !== 19) return nothing
  const original = message.referenced_message
  if (original === undefined || original === null) {
    return html`<div class="context"><i>The message this answers was deleted</i></div>`
  }
  const author = authorOf(original, view)
  const quotedText = plainText(original.content, view.names)
  return html`<button type="button" class="context" @click=${() => jumpTo(original.id)}>
    ${avatar(author, "small")} <b>${displayName(author)}</b>
    <span class="quoted">${quotedText === "" ? "a file or embed" : quotedText}</span>
  </button>`
}

const commandName = (message: Message): string | undefined => {
  // Only the older of the two fields carries the name.
  const older: unknown = Reflect.get(message, "interaction")
  const name: unknown = typeof older === "object" && older !== null ? Reflect.get(older, "name") : undefined
  return typeof name === "string" ? name : undefined
}

const jumpTo = (id: string): void => {
  const target = document.getElementById(`m${id}`)
  target?.scrollIntoView({ block: "center" })
  target?.focus()
}

const isEmbedded = (message: Message, url: string): boolean =>
  message.embeds.some((embed) => embed.image?.url === url || embed.thumbnail?.url === url)

const editor = (view: View): TemplateResult => {
  const editing = view.state.editing
  return html`<div class="editor">
    <textarea
      aria-label="Edit message"
      rows="1"
      .value=${live(editing?.text ?? "")}
      @input=${(event: Event) => view.actions.writeEdit((event.target as HTMLTextAreaElement).value)}
      @keydown=${(event: KeyboardEvent) => {
        if (event.isComposing) return
        if (event.key === "Escape") {
          event.stopPropagation()
          view.actions.cancelEdit()
        } else if (event.key === "Enter" && !event.shiftKey) {
          event.preventDefault()
          void view.actions.finishEdit()
        }
      }}
    ></textarea>
    ${editing?.error === undefined ? nothing : html`<p class="refused" role="alert">${editing.error}</p>`}
    <small
      >escape to <button type="button" class="link" @click=${view.actions.cancelEdit}>cancel</button> • enter to
      <button type="button" class="link" @click=${() => void view.actions.finishEdit()}>save</button></small
    >
  </div>`
}

const threadNotice = (message: Message, view: View): TemplateResult => {
  const thread = message.message_reference?.channel_id ?? message.thread?.id
  const at = new Date(message.timestamp)
  return html`<article class="message notice" id="m${message.id}" tabindex="-1">
    <div class="gutter">${icons.thread}</div>
    <div class="content">
      <b>${displayName(authorOf(message, view))}</b> started a thread:
      ${thread === undefined ? message.content : html`<a href=${view.hrefOf(thread)}>${message.content}</a>`}
      <time datetime=${message.timestamp}>${messageTime(at, view.now)}</time>
    </div>
  </article>`
}

// The thread's first message stands for the one in the channel that the thread was made from.
const threadStarter = (message: Message, view: View): TemplateResult => {
  const original = message.referenced_message
  if (original === undefined || original === null) {
    return html`<article class="message notice" id="m${message.id}" tabindex="-1">
      <div class="gutter">${icons.thread}</div>
      <div class="content">The message that this thread was made from is no longer there.</div>
    </article>`
  }
  const author = authorOf(original, view)
  return html`<article
    class="message"
    id="m${message.id}"
    tabindex="-1"
    aria-label="${displayName(author)}, ${timeOfDay(new Date(original.timestamp))}"
  >
    <div class="gutter">${avatar(author)}</div>
    <div class="content">
      ${heading(original, view)} ${body(original, original.flags ?? 0, view)} ${filesAndEmbeds(original, view)}
    </div>
  </article>`
}

const threadCard = (message: Message, view: View): unknown => {
  // A thread that starts at a message has the message's id.
  const thread = view.state.channels.find((channel) => channel.id === message.id)
  if (thread === undefined) return nothing
  return html`<a class="thread-card" href=${view.hrefOf(thread.id)}>
    <span>${icons.thread}<b>${thread.name}</b></span>
    <span class="go">${thread.archived === true ? "Archived thread" : "Open thread"} ›</span>
  </a>`
}
