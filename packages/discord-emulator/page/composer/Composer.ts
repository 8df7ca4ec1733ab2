import { type TemplateResult, html, nothing } from "lit"
import { live } from "lit/directives/live.js"
import { fileSize } from "../messages/AttachmentView.ts"
import { choiceList, commandForm } from "./CommandForm.ts"
import { pickerLine } from "./PickerLine.ts"
import { type RunnableCommand, nameIn, runnableCommands } from "../model/Commands.ts"
import { MESSAGE_LIMIT } from "../actions/TextActions.ts"
import { closeButton } from "../widgets/CloseButton.ts"
import { icons } from "../widgets/Icons.ts"
import { type Mention, mentionSuggestions } from "../model/Mentions.ts"
import { authorOf } from "../messages/MessageView.ts"
import { type Draft, draftOf } from "../model/State.ts"
import { type Channel, ChannelType, isThread } from "../model/Types.ts"
import type { View } from "../actions/View.ts"
import { displayName, nameOf } from "../model/Names.ts"

/** Shows where a person writes: text, files, a reply, or a command with its options. */
export const composer = (
  view: View,
  channel: Channel | undefined,
  commandMatches: ReadonlyArray<RunnableCommand>
): TemplateResult => {
  const draft = draftOf(view.state, channel?.id)
  const mentionMatches = matchingMentions(view, draft)
  const highlighted = Math.min(draft.highlighted, Math.max(0, commandMatches.length - 1, mentionMatches.length - 1))
  return html`<form
    class="composer"
    @submit=${(event: Event) => {
      event.preventDefault()
      void (draft.command === undefined ? view.composer.send() : view.composer.run())
    }}
  >
    ${draft.command === undefined ? commandPicker(view, draft, commandMatches, highlighted) : choiceList(view, draft.command, draft.highlighted)}
    ${mentionMatches.length === 0 ? nothing : mentionPicker(view, mentionMatches, highlighted)}
    ${replyLine(view, draft)} ${fileChips(view, draft)}
    <div class="box ${draft.sending ? "sending" : ""}">
      ${
        draft.command === undefined
          ? html`${attachButton(view)}
            ${textBox(view, draft, channel, pickerItems(view, commandMatches, mentionMatches), highlighted)}`
          : commandForm(view, draft.command, draft.highlighted)
      }
      <button
        type="submit"
        class="icon-button send"
        aria-label=${draft.command === undefined ? "Send" : "Run the command"}
        ?disabled=${draft.sending || channel === undefined || (draft.command === undefined && draft.text.trim() === "" && draft.files.length === 0)}
      >
        ${icons.send}
      </button>
    </div>
    ${composerStatus(view, draft, channel)}
  </form>`
}

const commandPicker = (
  view: View,
  draft: Draft,
  commandMatches: ReadonlyArray<RunnableCommand>,
  highlighted: number
): unknown => {
  if (!draft.text.startsWith("/") || draft.listClosed || draft.text.includes("\n")) return nothing
  const commands = runnableCommands(view.state.commands)
  if (commandMatches.length === 0) {
    return html`<div class="above hint" role="status">
      ${
        commands.length === 0
          ? "No bot has registered a command yet."
          : html`No command fits. There is
            ${commands.map((item, index) => html`${index === 0 ? "" : ", "}<b>/${item.localizedPath}</b>`)}. Enter sends
            the text as it is.`
      }
    </div>`
  }
  return html`<div class="above" id="commands" role="listbox" aria-label="Commands">
    <p class="above-title">Commands</p>
    ${commandMatches.map((item, index) =>
      pickerLine(
        { kind: "command", index, active: index === highlighted, onClick: () => view.composer.choose(item) },
        html`${icons.slash}<span
            ><b>/${item.localizedPath}</b>
            ${item.options.map((option) => html`<i class=${option.required === true ? "required" : ""}>${nameIn(option)}</i>`)}<small
              >${item.description}</small
            ></span
          >`
      )
    )}
  </div>`
}

const matchingMentions = (view: View, draft: Draft): ReadonlyArray<Mention> =>
  draft.mentionQuery === undefined || draft.listClosed || draft.command !== undefined
    ? []
    : mentionSuggestions(view.state, draft.mentionQuery)

const mentionPicker = (view: View, mentionMatches: ReadonlyArray<Mention>, highlighted: number): TemplateResult =>
  html`<div class="above" id="mentions" role="listbox" aria-label="Who or what to mention">
    ${mentionMatches.map((mention, index) =>
      pickerLine(
        { kind: "mention", index, active: index === highlighted, onClick: () => view.composer.mention(mention) },
        html`<b>${mention.label}</b><small>${mention.hint}</small>`
      )
    )}
  </div>`

interface PickerItems {
  readonly list: "commands" | "mentions"
  readonly line: string
  readonly choose: ReadonlyArray<() => void>
}

/** The list above the text box that the arrow keys move through: commands or mentions. */
const pickerItems = (
  view: View,
  commandMatches: ReadonlyArray<RunnableCommand>,
  mentionMatches: ReadonlyArray<Mention>
): PickerItems =>
  commandMatches.length > 0
    ? { list: "commands", line: "command", choose: commandMatches.map((item) => () => view.composer.choose(item)) }
    : {
        list: "mentions",
        line: "mention",
        choose: mentionMatches.map((mention) => () => view.composer.mention(mention))
      }

const textBox = (
  view: View,
  draft: Draft,
  channel: Channel | undefined,
  { choose, line, list }: PickerItems,
  highlighted: number
): TemplateResult => {
  const onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    const item = choose[highlighted]
    if (item !== undefined && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault()
      const step = event.key === "ArrowDown" ? 1 : -1
      view.composer.change({ highlighted: (highlighted + step + choose.length) % choose.length })
    } else if (item !== undefined && (event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      event.preventDefault()
      item()
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault()
      void view.composer.send()
    } else if (event.key === "Escape") {
      if (item !== undefined) view.composer.change({ listClosed: true })
      else if (draft.replyTo !== undefined) view.composer.replyTo(undefined)
    } else if (event.key === "ArrowUp" && draft.text === "") {
      const lastOwn = view.state.messages[channel?.id ?? ""]?.list.findLast(
        (message) => message.author.id === view.state.me
      )
      if (lastOwn === undefined) return
      event.preventDefault()
      view.actions.startEdit(lastOwn)
    }
  }
  const name =
    channel === undefined
      ? ""
      : isThread(channel) || channel.type === ChannelType.direct
        ? nameOf(channel, view.state)
        : `#${channel.name}`
  return html`<textarea
    id="text"
    rows="1"
    placeholder="Message ${name}"
    aria-label="Message ${name}"
    role="combobox"
    aria-expanded=${choose.length > 0}
    aria-controls=${choose.length > 0 ? list : nothing}
    aria-activedescendant=${choose.length > 0 ? `${line}-${highlighted}` : nothing}
    ?readonly=${draft.sending}
    ?disabled=${channel === undefined}
    .value=${live(draft.text)}
    @input=${(event: Event) => {
      const area = event.target as HTMLTextAreaElement
      view.composer.write(area.value, area.selectionStart)
    }}
    @keydown=${onKey}
    @paste=${(event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      if (files.length === 0) return
      event.preventDefault()
      view.composer.attach(files)
    }}
  ></textarea>`
}

const attachButton = (view: View): TemplateResult =>
  html`<label class="icon-button attach" title="Attach files">
    ${icons.plus}<span class="hidden">Attach files</span>
    <input
      type="file"
      multiple
      @change=${(event: Event) => {
        const input = event.target as HTMLInputElement
        view.composer.attach([...(input.files ?? [])])
        input.value = ""
      }}
    />
  </label>`

const fileChips = (view: View, draft: Draft): unknown =>
  draft.files.length === 0
    ? nothing
    : html`<ul class="chips" aria-label="Files to send">
        ${draft.files.map(
          (file) =>
            html`<li>
              ${file.type.startsWith("image/") ? html`<file-thumb .file=${file}></file-thumb>` : icons.file}<span
                class="name"
                >${file.name}<small>${fileSize(file.size)}</small></span
              >
              ${closeButton(`Remove ${file.name}`, () => view.composer.detach(file))}
            </li>`
        )}
      </ul>`

const replyLine = (view: View, draft: Draft): unknown => {
  if (draft.replyTo === undefined) return nothing
  const message = view.state.messages[view.state.currentChannel ?? ""]?.list.find((entry) => entry.id === draft.replyTo)
  return html`<div class="reply-line">
    <span>Replying to <b>${message === undefined ? "a message" : displayName(authorOf(message, view))}</b></span>
    ${closeButton("Do not reply", () => view.composer.replyTo(undefined))}
  </div>`
}

const composerStatus = (view: View, draft: Draft, channel: Channel | undefined): TemplateResult => {
  if (draft.error !== undefined) return html`<p class="below refused" role="alert">${icons.warning} ${draft.error}</p>`
  if (draft.text.length > MESSAGE_LIMIT) {
    return html`<p class="below" role="status">
      ${draft.text.length.toLocaleString()} characters: this goes as a file, message.txt
    </p>`
  }
  if (channel?.archived === true)
    return html`<p class="below">This thread is archived; writing here opens it again.</p>`
  const typing = Object.keys(view.state.typing[channel?.id ?? ""] ?? {})
    .map((id) => view.state.people[id])
    .filter((person) => person !== undefined)
    .map(displayName)
  if (typing.length === 0) return html`<p class="below"></p>`
  const who = typing.length > 3 ? "Several people are" : `${typing.join(", ")} ${typing.length === 1 ? "is" : "are"}`
  return html`<p class="below" role="status">
    <span class="dots" aria-hidden="true"><i></i><i></i><i></i></span> ${who} typing…
  </p>`
}
