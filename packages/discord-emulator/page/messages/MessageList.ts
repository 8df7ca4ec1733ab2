import { type TemplateResult, html, nothing } from "lit"
import { guard } from "lit/directives/guard.js"
import { ref } from "lit/directives/ref.js"
import { repeat } from "lit/directives/repeat.js"
import { avatar } from "../widgets/Avatar.ts"
import { isAllowedInDirect, runnableCommands, suggestedCommands } from "../model/Commands.ts"
import { channelIcon } from "../widgets/ChannelIcon.ts"
import { icons } from "../widgets/Icons.ts"
import { messageView } from "./MessageView.ts"
import type { Scroller } from "../widgets/Scroller.ts"
import { type Pending, byId } from "../model/State.ts"
import { sameDay, longDate } from "../text/Time.ts"
import { type Channel, ChannelType, type Message, isThread } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName, nameOf } from "../model/Names.ts"

const GROUP_MS = 7 * 60_000

/** Shows the messages and the pending commands of the current channel. */
export const messageList = (
  view: View,
  channel: Channel | undefined,
  scroller: Scroller,
  missedCount: number
): TemplateResult => {
  const loaded = channel === undefined ? undefined : view.state.messages[channel.id]
  const list = loaded?.list ?? []
  const pending = view.state.pending.filter((entry) => entry.channel === channel?.id)
  return html`<div class="scroll" ${ref((element) => scroller.attach(element))}>
      <div
        class="list"
        role="log"
        aria-live="polite"
        aria-relevant="additions"
        aria-label="Messages"
        tabindex="0"
        @keydown=${moveFocus}
      >
        ${loaded === undefined || loaded.stale ? nothing : loaded.complete ? channelStart(view, channel, list.length) : html`<p class="older">Older messages load as you scroll up</p>`}
        ${repeat(
          withPending(list, pending),
          (item) => ("key" in item ? item.key : item.message.id),
          (item) => {
            if ("key" in item) return pendingView(item, view)
            const { before, message } = item
            return guard([message, before, ...renderDependencies(message, view)], () => entry(message, before, view))
          }
        )}
      </div>
    </div>
    ${
      scroller.atEnd()
        ? nothing
        : html`<button type="button" class="jump" @click=${scroller.toEnd}>
            ${missedCount === 0 ? "Jump to the latest message" : missedCount === 1 ? "1 new message" : `${missedCount} new messages`}
            ${icons.down}
          </button>`
    }`
}

// A pending command keeps its position; later messages follow it.
const withPending = (list: ReadonlyArray<Message>, pending: ReadonlyArray<Pending>) => {
  const isLater = (message: Message, { after }: Pending) => after !== undefined && byId(message, { id: after }) > 0
  return [
    ...list.flatMap((message, index) => {
      const before = list[index - 1]
      const pendingBefore = pending.filter(
        (entry) => isLater(message, entry) && (before === undefined || !isLater(before, entry))
      )
      return [...pendingBefore, { message, before }]
    }),
    ...pending.filter((entry) => !list.some((message) => isLater(message, entry)))
  ]
}

const entry = (message: Message, before: Message | undefined, view: View): TemplateResult => {
  const newDay = before === undefined || !sameDay(new Date(before.timestamp), new Date(message.timestamp))
  return html`${newDay ? html`<div class="day" role="separator"><span>${longDate(new Date(message.timestamp))}</span></div>` : nothing}
  ${messageView(message, !newDay && isGroupedWith(message, before), view)}`
}

// The state that a message's view depends on. While it is the same, typing in the composer renders no message again.
const renderDependencies = ({ id }: Message, { state, now }: View): ReadonlyArray<unknown> => [
  state.people,
  state.roles,
  state.commands,
  state.channels,
  state.me,
  state.locale,
  state.busy,
  state.messageErrors[id],
  state.editing?.message === id ? state.editing : undefined,
  now.toDateString()
]

const isGroupedWith = (message: Message, before: Message | undefined): boolean =>
  before !== undefined &&
  before.author.id === message.author.id &&
  before.flags === message.flags &&
  (message.type === 0 || message.type === 20) &&
  // A system message is never grouped.
  [0, 19, 20, 23].includes(before.type) &&
  message.message_reference === undefined &&
  message.interaction_metadata === undefined &&
  Date.parse(message.timestamp) - Date.parse(before.timestamp) < GROUP_MS

// A pending command, or a failed one that can be run or edited again.
const pendingView = (entry: Pending, view: View): TemplateResult => {
  const me = view.state.me === undefined ? undefined : view.state.people[view.state.me]
  return html`<article class="message pending ${entry.error === undefined ? "" : "ephemeral"}">
    <div class="gutter">${me === undefined ? nothing : avatar(me)}</div>
    <div class="content">
      <header>
        <span class="author">${me === undefined ? "You" : displayName(me)}</span> used
        <span class="mention">/${entry.command.path}</span>
      </header>
      ${
        entry.error === undefined
          ? html`<p class="thinking">
              <span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> Sending the command…
            </p>`
          : html`<p class="refused" role="alert">${icons.warning} ${entry.error}</p>
              <p class="only-you">
                ${icons.eye} Only you can see this •
                <button type="button" class="link" @click=${() => void view.composer.runAgain(entry.key)}>
                  Try again
                </button>
                •
                <button type="button" class="link" @click=${() => view.composer.editAgain(entry.key)}>Change it</button>
                •
                <button type="button" class="link" @click=${() => view.actions.dismissPending(entry.key)}>
                  Dismiss
                </button>
              </p>`
      }
    </div>
  </article>`
}

const channelStart = (view: View, channel: Channel | undefined, count: number): TemplateResult => {
  const thread = channel !== undefined && isThread(channel)
  const direct = channel?.type === ChannelType.direct
  // Direct messages have only global commands, not those of a server.
  const commands = runnableCommands(direct ? view.state.commands.filter(isAllowedInDirect) : view.state.commands)
  const title = thread ? channel.name : direct ? nameOf(channel, view.state) : `Welcome to #${channel?.name ?? ""}`
  const about = thread
    ? "This is the beginning of the thread."
    : direct
      ? "Only you and the bot see what is said here."
      : "This is the beginning of the channel. It lives on this machine only."
  return html`<section class="beginning">
    <div class="emblem">${channelIcon(channel)}</div>
    <h2>${title}</h2>
    <p>${about}</p>
    ${
      thread || (commands.length === 0 && (direct || count > 0))
        ? nothing
        : commands.length === 0
          ? html`<p>No bot has registered a command yet. As soon as one logs in, its commands show up here.</p>`
          : html`<p>Type <kbd>/</kbd> to see what the bot can do, or start here:</p>
              <ul class="starters">
                ${suggestedCommands(commands).map(
                  (command) =>
                    html`<li>
                      <button type="button" @click=${() => view.composer.choose(command)}>
                        <b>/${command.localizedPath}</b><span>${command.description}</span>
                      </button>
                    </li>`
                )}
              </ul>`
    }
  </section>`
}

// With the list focused, the arrow keys go from message to message, and Tab reaches the actions of the one in focus.
const moveFocus = (event: KeyboardEvent): void => {
  if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return
  const list = event.currentTarget as HTMLElement
  if (event.target !== list && !(event.target instanceof HTMLElement && event.target.matches(".message"))) return
  const messages = [...list.querySelectorAll<HTMLElement>(".message[tabindex]")]
  const index = messages.findIndex((message) => message === event.target)
  const next = event.key === "ArrowUp" ? (index < 0 ? messages.length - 1 : index - 1) : index < 0 ? -1 : index + 1
  const target = messages[next]
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}
