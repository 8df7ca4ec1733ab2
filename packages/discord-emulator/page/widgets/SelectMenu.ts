import { LitElement, type PropertyValues, html, nothing } from "lit"
import { selectButton, selectList } from "./SelectList.ts"
import { findByLetter, moveActive, type SelectOption, toggleValue } from "./SelectOption.ts"

/**
 * A select menu for keyboard, mouse and screen readers: a button with a listbox. It fires `choose` with the selected
 * values, at once for a single one and on close for several. A form reads `chosen` instead.
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
    const onClick = (): void => (this.open ? this.close() : this.show())
    return html`${selectButton(this, { click: onClick, keydown: this.onKey, blur: () => this.close() })}
    ${this.open ? selectList(this, (value) => this.toggle(value)) : nothing}`
  }

  readonly listId = `select-${Math.random().toString(36).slice(2)}`
  private valuesOnOpen: ReadonlyArray<string> = []

  private readonly onOutside = (event: Event): void => {
    if (this.open && event.target instanceof Node && !this.contains(event.target)) this.close()
  }

  private show(): void {
    this.valuesOnOpen = this.chosen
    this.active = Math.max(
      0,
      this.options.findIndex((option) => this.chosen.includes(option.value))
    )
    this.open = true
  }

  private close(): void {
    if (!this.open) return
    this.open = false
    const changed = this.chosen.join("\n") !== this.valuesOnOpen.join("\n")
    if (this.max > 1 && changed && this.chosen.length >= this.min) this.fire()
  }

  private toggle(value: string): void {
    this.chosen = toggleValue(this.chosen, value, this)
    if (this.max > 1) return
    this.open = false
    this.fire()
  }

  private fire(): void {
    this.dispatchEvent(new CustomEvent<ReadonlyArray<string>>("choose", { detail: this.chosen }))
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (!this.open) {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
      event.preventDefault()
      return this.show()
    }
    const moved = moveActive(event.key, this.active, this.options)
    if (moved !== undefined) this.active = moved
    else if (event.key === "Enter" || event.key === " ") this.toggleActive()
    else if (event.key === "Escape") this.close()
    else {
      if (event.key.length === 1) this.active = findByLetter(event.key, this.options) ?? this.active
      return
    }
    event.preventDefault()
    event.stopPropagation()
  }

  private toggleActive(): void {
    const option = this.options[this.active]
    if (option !== undefined) this.toggle(option.value)
  }
}
