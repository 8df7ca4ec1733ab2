import { type TemplateResult, html, nothing } from "lit"
import { icons } from "./Icons.ts"
import type { SelectOption } from "./SelectOption.ts"

/** The state of a select menu. */
interface SelectView {
  readonly listId: string
  readonly label: string
  readonly placeholder: string
  readonly options: ReadonlyArray<SelectOption>
  readonly chosen: ReadonlyArray<string>
  readonly active: number
  readonly min: number
  readonly max: number
  readonly open: boolean
  readonly disabled: boolean
}

/** The button of a select menu, which shows the selected options. */
export const selectButton = (
  view: SelectView,
  on: { readonly click: () => void; readonly keydown: (event: KeyboardEvent) => void; readonly blur: () => void }
): TemplateResult => {
  const { active, chosen, disabled, label, listId, open, options, placeholder } = view
  const labels = options.filter((option) => chosen.includes(option.value)).map((option) => option.label)
  return html`<button
    type="button"
    class="select-button"
    role="combobox"
    aria-haspopup="listbox"
    aria-expanded=${open}
    aria-label=${label === "" ? placeholder : label}
    aria-controls=${open ? listId : nothing}
    aria-activedescendant=${open ? `${listId}-${active}` : nothing}
    ?disabled=${disabled}
    @click=${on.click}
    @keydown=${on.keydown}
    @blur=${on.blur}
  >
    <span class=${labels.length === 0 ? "placeholder" : ""}
      >${labels.length === 0 ? placeholder : labels.join(", ")}</span
    >
    ${icons.chevron}
  </button>`
}

/** The open list of a select menu. */
export const selectList = (view: SelectView, toggle: (value: string) => void): TemplateResult => {
  const { listId, max, min, options, placeholder } = view
  const range = min === max ? max : `${min} to ${max}`
  return html`<div
    class="select-list"
    id=${listId}
    role="listbox"
    aria-label=${placeholder}
    aria-multiselectable=${max > 1}
  >
    ${options.length === 0 ? html`<p class="select-empty">Nothing to choose from</p>` : nothing}
    ${options.map((option, index) => optionLine(view, option, index, toggle))}
    ${max > 1 ? html`<p class="select-hint">Choose ${range}; close to apply</p>` : nothing}
  </div>`
}

const optionLine = (
  { active, chosen, listId }: SelectView,
  option: SelectOption,
  index: number,
  toggle: (value: string) => void
): TemplateResult => {
  const selected = chosen.includes(option.value)
  return html`<div
    class="select-option ${index === active ? "active" : ""}"
    id="${listId}-${index}"
    role="option"
    aria-selected=${selected}
    @pointerdown=${(event: Event) => event.preventDefault()}
    @click=${() => toggle(option.value)}
  >
    <span
      ><span class="select-label">${emojiOf(option)}${option.label}</span>
      ${option.description === undefined ? nothing : html`<small>${option.description}</small>`}</span
    >
    ${selected ? icons.check : nothing}
  </div>`
}

const emojiOf = ({ emoji }: SelectOption): string => {
  if (emoji === undefined) return ""
  return emoji.id === undefined || emoji.id === null ? `${emoji.name ?? ""} ` : `:${emoji.name ?? ""}: `
}
