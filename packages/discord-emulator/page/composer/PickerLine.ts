import { type TemplateResult, html } from "lit"

/** One line of a list above the composer. */
interface PickerLine {
  readonly kind: "command" | "mention" | "choice"
  readonly index: number
  readonly active: boolean
  readonly onClick: () => void
}

/** A line that a click or Enter picks. The text box keeps the focus, and refers to the line as `KIND-INDEX`. */
export const pickerLine = ({ active, index, kind, onClick }: PickerLine, content: TemplateResult): TemplateResult =>
  html`<div
    class="line ${classes[kind]} ${active ? "active" : ""}"
    id="${kind}-${index}"
    role="option"
    aria-selected=${active}
    @pointerdown=${(event: Event) => event.preventDefault()}
    @click=${onClick}
  >
    ${content}
  </div>`

// The classes `mention` and `choice` belong to messages and forms.
const classes = { command: "command", mention: "mentionable", choice: "" }
