import { LitElement, type PropertyValues, html, nothing } from "lit"
import { icons } from "./Icons.ts"

/** Is one line of a select menu. */
export interface SelectOption {
  readonly label: string
  readonly value: string
  readonly description?: string | undefined
  readonly emoji?: { readonly id?: string | null; readonly name?: string | null } | undefined
}

/**
 * Is a select menu that works with keys, mouse and screen readers (a button with a listbox). It fires `choose` when a
 * choice is made: at once for a single one, when it closes for several. In a form it only keeps `chosen`.
 */
export class SelectMenu extends LitElement {
  static override properties = {
    options: { attribute: false },
    chosen: { attribute: false },
    label: {},
    placeholder: {},
    min: { type: Number },
    max: { type: Number },
    disabled: { type: Boolean },
    open: { state: true },
    active: { state: true }
  }
  declare options: ReadonlyArray<SelectOption>
  declare chosen: ReadonlyArray<string>
  declare label: string
  declare placeholder: string
  declare min: number
  declare max: number
  declare disabled: boolean
  declare open: boolean
  declare active: number

  constructor() {
    super()
    this.options = []
    this.chosen = []
    this.label = ""
    this.placeholder = "Make a selection"
    this.min = 1
    this.max = 1
    this.disabled = false
    this.open = false
    this.active = 0
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    document.addEventListener("pointerdown", this.onOutside)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    document.removeEventListener("pointerdown", this.onOutside)
  }

  protected override updated(changed: PropertyValues): void {
    if (changed.has("open") && this.open) this.querySelector(".select-list")?.scrollIntoView({ block: "nearest" })
    if (this.open) this.querySelector(".select-option.active")?.scrollIntoView({ block: "nearest" })
  }

  override render(): unknown {
    const labels = this.options.filter((option) => this.chosen.includes(option.value)).map((option) => option.label)
    return html`<button
        type="button"
        class="select-button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded=${this.open}
        aria-label=${this.label === "" ? this.placeholder : this.label}
        aria-controls=${this.open ? this.listId : nothing}
        aria-activedescendant=${this.open ? `${this.listId}-${this.active}` : nothing}
        ?disabled=${this.disabled}
        @click=${() => (this.open ? this.close() : this.show())}
        @keydown=${this.onKey}
        @blur=${() => this.close()}
      >
        <span class=${labels.length === 0 ? "placeholder" : ""}
          >${labels.length === 0 ? this.placeholder : labels.join(", ")}</span
        >
        ${icons.chevron}
      </button>
      ${this.open ? this.list() : nothing}`
  }

  private list(): unknown {
    return html`<div
      class="select-list"
      id=${this.listId}
      role="listbox"
      aria-label=${this.placeholder}
      aria-multiselectable=${this.max > 1}
    >
      ${this.options.length === 0 ? html`<p class="select-empty">Nothing to choose from</p>` : nothing}
      ${this.options.map(
        (option, index) =>
          html`<div
            class="select-option ${index === this.active ? "active" : ""}"
            id="${this.listId}-${index}"
            role="option"
            aria-selected=${this.chosen.includes(option.value)}
            @pointerdown=${(event: Event) => event.preventDefault()}
            @click=${() => this.toggle(option.value)}
          >
            <span
              ><span class="select-label">${emojiOf(option)}${option.label}</span>
              ${option.description === undefined ? nothing : html`<small>${option.description}</small>`}</span
            >
            ${this.chosen.includes(option.value) ? icons.check : nothing}
          </div>`
      )}
      ${this.max > 1 ? html`<p class="select-hint">Choose ${this.min === this.max ? this.max : `${this.min} to ${this.max}`}; close to apply</p>` : nothing}
    </div>`
  }

  private readonly listId = `select-${Math.random().toString(36).slice(2)}`
  private opened: ReadonlyArray<string> = []

  private readonly onOutside = (event: Event): void => {
    if (this.open && event.target instanceof Node && !this.contains(event.target)) this.close()
  }

  private show(): void {
    this.opened = this.chosen
    this.active = Math.max(
      0,
      this.options.findIndex((option) => this.chosen.includes(option.value))
    )
    this.open = true
  }

  private close(): void {
    if (!this.open) return
    this.open = false
    const changed = this.chosen.join("\n") !== this.opened.join("\n")
    if (this.max > 1 && changed && this.chosen.length >= this.min) this.fire()
  }

  private toggle(value: string): void {
    if (this.max === 1) {
      this.chosen = this.chosen.includes(value) && this.min === 0 ? [] : [value]
      this.open = false
      this.fire()
    } else if (this.chosen.includes(value)) {
      this.chosen = this.chosen.filter((entry) => entry !== value)
    } else if (this.chosen.length < this.max) {
      this.chosen = [...this.chosen, value]
    }
  }

  private fire(): void {
    this.dispatchEvent(new CustomEvent<ReadonlyArray<string>>("choose", { detail: this.chosen }))
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (!this.open) {
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault()
        this.show()
      }
      return
    }
    const last = this.options.length - 1
    const moves: Record<string, () => void> = {
      ArrowDown: () => (this.active = Math.min(last, this.active + 1)),
      ArrowUp: () => (this.active = Math.max(0, this.active - 1)),
      Home: () => (this.active = 0),
      End: () => (this.active = last),
      Enter: () => this.pickActive(),
      " ": () => this.pickActive(),
      Escape: () => this.close()
    }
    const move = moves[event.key]
    if (move !== undefined) {
      event.preventDefault()
      event.stopPropagation()
      move()
    } else if (event.key.length === 1) {
      const found = this.options.findIndex((option) => option.label.toLowerCase().startsWith(event.key.toLowerCase()))
      if (found >= 0) this.active = found
    }
  }

  private pickActive(): void {
    const option = this.options[this.active]
    if (option !== undefined) this.toggle(option.value)
  }
}

const emojiOf = ({ emoji }: SelectOption): string => {
  if (emoji === undefined) return ""
  return emoji.id === undefined || emoji.id === null ? `${emoji.name ?? ""} ` : `:${emoji.name ?? ""}: `
}
