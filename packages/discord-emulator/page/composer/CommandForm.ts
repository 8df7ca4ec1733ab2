import type { APIApplicationCommandBasicOption } from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { live } from "lit/directives/live.js"
import { pickerLine } from "./PickerLine.ts"
import { type RunnableCommand, descriptionIn, nameIn, runnableCommands } from "../model/Commands.ts"
import { OptionType } from "../../src/model/Constants.ts"
import { icons } from "../widgets/Icons.ts"
import type { CommandDraft } from "../model/State.ts"
import type { Choice } from "../model/Types.ts"
import type { View } from "../actions/View.ts"

/** Shows the command being filled in: its name, a field per option, and the optional ones to add. */
export const commandForm = (view: View, command: CommandDraft, highlighted: number): TemplateResult => {
  const runnable = runnableCommands(view.state.commands).find((item) => item.path === command.path)
  const options = runnable?.options ?? []
  const visibleOptions = options.filter(
    (option) => option.required === true || command.openedOptions.includes(option.name)
  )
  const addableOptions = options.filter((option) => !visibleOptions.includes(option))
  return html`<div class="command-form" role="group" aria-label="Command ${runnable?.localizedPath ?? command.path}">
    <span class="command-name" tabindex="-1" @keydown=${(event: KeyboardEvent) => onNameKey(event, view)}
      >/${runnable?.localizedPath ?? command.path}</span
    >
    ${visibleOptions.map((option) => field(view, command, option, highlighted))}
    ${addableOptions.map(
      (option) =>
        html`<button
          type="button"
          class="add-option"
          title=${descriptionIn(option)}
          @click=${() => view.composer.showOption(option.name)}
        >
          ${icons.plus} ${nameIn(option)}
        </button>`
    )}
    <button
      type="button"
      class="icon-button leave"
      aria-label="Leave the command"
      title="Leave the command (Escape)"
      @click=${view.composer.leaveCommand}
    >
      ${icons.close}
    </button>
  </div>`
}

/** Lists the choices for the focused option, above the composer. */
export const choiceList = (view: View, command: CommandDraft, highlighted: number): unknown => {
  const choices = command.choices
  const option = findRunnable(view, command.path)?.options.find((entry) => entry.name === command.focused)
  if (option === undefined) return nothing
  if (choices === undefined) {
    return html`<div class="above hint">
      <b>${nameIn(option)}</b> ${descriptionIn(option)}${option.required === true ? "" : " (optional)"}
    </div>`
  }
  return html`<div class="above" id="choices" role="listbox" aria-label="Suggestions for ${nameIn(option)}">
    <p class="above-title"><b>${nameIn(option)}</b> ${descriptionIn(option)}</p>
    ${choices.length === 0 ? html`<p class="above-empty">No suggestion fits this text</p>` : nothing}
    ${choices.map((choice, index) =>
      pickerLine(
        { kind: "choice", index, active: index === highlighted, onClick: () => pick(view, option.name, choice) },
        html`${choice.name}`
      )
    )}
  </div>`
}

const findRunnable = (view: View, path: string): RunnableCommand | undefined =>
  runnableCommands(view.state.commands).find((item) => item.path === path)

const pick = (view: View, option: string, choice: Choice): void => {
  view.composer.fill(option, { text: choice.name, value: choice.value })
}

const field = (
  view: View,
  command: CommandDraft,
  option: APIApplicationCommandBasicOption,
  highlighted: number
): TemplateResult => {
  const problem = command.problems?.[option.name]
  const id = `option-${option.name}`
  return html`<span class="option ${problem === undefined ? "" : "wrong"}">
    <label for=${id}
      >${nameIn(option)}${option.required === true ? html`<span class="hidden"> (required)</span>` : nothing}</label
    >
    ${option.type === OptionType.attachment ? fileField(view, command, option, id) : textField(view, command, option, id, highlighted)}
    ${problem === undefined ? nothing : html`<span class="problem" role="alert">${problem}</span>`}
  </span>`
}

const fileField = (
  view: View,
  command: CommandDraft,
  option: APIApplicationCommandBasicOption,
  id: string
): TemplateResult => {
  const file = command.values[option.name]?.file
  return html`<span class="file-field">
    <input
      id=${id}
      type="file"
      class="option-input"
      data-option=${option.name}
      @focus=${() => view.composer.focusOption(option.name)}
      @change=${(event: Event) => {
        const chosen = (event.target as HTMLInputElement).files?.[0]
        view.composer.fill(option.name, chosen === undefined ? { text: "" } : { text: chosen.name, file: chosen })
      }}
      @keydown=${(event: KeyboardEvent) => {
        if (event.key === "Escape") view.composer.leaveCommand()
        if (event.key === "Enter" && file !== undefined) {
          event.preventDefault()
          void view.composer.run()
        }
      }}
    />
    <label for=${id} class="file-label"
      >${icons.file} ${file === undefined ? "Choose or drop a file" : file.name}</label
    >
  </span>`
}

const textField = (
  view: View,
  command: CommandDraft,
  option: APIApplicationCommandBasicOption,
  id: string,
  highlighted: number
): TemplateResult => {
  const hasChoiceList = command.focused === option.name && (command.choices?.length ?? 0) > 0
  return html`<textarea
    id=${id}
    class="option-input"
    data-option=${option.name}
    rows="1"
    spellcheck="false"
    autocomplete="off"
    role="combobox"
    aria-expanded=${hasChoiceList}
    aria-controls=${hasChoiceList ? "choices" : nothing}
    aria-activedescendant=${hasChoiceList ? `choice-${highlighted}` : nothing}
    aria-invalid=${command.problems?.[option.name] !== undefined}
    title=${descriptionIn(option)}
    .value=${live(command.values[option.name]?.text ?? "")}
    @focus=${() => view.composer.focusOption(option.name)}
    @input=${(event: Event) => view.composer.fill(option.name, { text: (event.target as HTMLTextAreaElement).value })}
    @keydown=${(event: KeyboardEvent) => onKey(event, view, command, option.name, highlighted)}
  ></textarea>`
}

const onKey = (event: KeyboardEvent, view: View, command: CommandDraft, option: string, highlighted: number): void => {
  if (event.isComposing) return
  const choices = command.focused === option ? (command.choices ?? []) : []
  const isEmpty = (command.values[option]?.text ?? "") === ""
  const choice = choices[highlighted]
  if (event.key === "Escape" || (event.key === "Backspace" && isEmpty && isFirstField(event.target))) {
    event.preventDefault()
    view.composer.leaveCommand()
  } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && choices.length > 0) {
    event.preventDefault()
    const step = event.key === "ArrowDown" ? 1 : -1
    view.composer.change({ highlighted: (highlighted + step + choices.length) % choices.length })
  } else if (event.key === "Tab" && !event.shiftKey && choice !== undefined && !isEmpty) {
    pick(view, option, choice)
  } else if (event.key === "Enter" && !event.shiftKey) {
    event.preventDefault()
    if (choice !== undefined && command.values[option]?.value === undefined) pick(view, option, choice)
    else void view.composer.run()
  }
}

// A command without options has no field to press Enter in; its name takes the keys.
const onNameKey = (event: KeyboardEvent, view: View): void => {
  if (event.key === "Enter") void view.composer.run()
  else if (event.key === "Escape" || event.key === "Backspace") view.composer.leaveCommand()
  else return
  event.preventDefault()
}

const isFirstField = (target: EventTarget | null): boolean => document.querySelector(".option-input") === target
