import { type TemplateResult, html, nothing } from "lit"

/**
 * Shows a button that opens a menu. The arrow keys go through what is in it, Escape and leaving it close it, and it
 * opens upwards where there is no room below. A button with only a drawing (`drawn`) has its label for screen readers.
 */
export const menu = (kind: string, label: string, face: unknown, items: unknown, drawn = true): TemplateResult =>
  html`<details class="pop ${kind}" @toggle=${onToggle} @keydown=${onKey} @focusout=${onLeave}>
    <summary title=${drawn ? label : nothing} aria-label=${drawn ? label : nothing} aria-haspopup="menu">
      ${face}
    </summary>
    <div class="pop-list" role="menu" @click=${onChoice}>${items}</div>
  </details>`

/** Shows one line of a menu. */
export const menuItem = (label: unknown, onClick: () => void, kind = ""): TemplateResult =>
  html`<button type="button" role="menuitem" class=${kind} @click=${onClick}>${label}</button>`

/** Opens the menu of this kind inside an element; returns false when there is none. */
export const openMenuIn = (element: Element, kind: string): boolean => {
  const found = element.querySelector<HTMLDetailsElement>(`details.${kind}`)
  if (found === null) return false
  found.open = true
  return true
}

const itemsOf = (details: Element): ReadonlyArray<HTMLElement> => [
  ...details.querySelectorAll<HTMLElement>('[role="menuitem"]')
]

const onToggle = (event: Event): void => {
  const details = event.currentTarget as HTMLDetailsElement
  if (!details.open) return
  const list = details.querySelector(".pop-list")
  const edge = details.closest(".scroll, .members, .sidebar")?.getBoundingClientRect()
  const room = (edge?.bottom ?? innerHeight) - details.getBoundingClientRect().bottom
  const above = details.getBoundingClientRect().top - (edge?.top ?? 0)
  const height = list?.getBoundingClientRect().height ?? 0
  details.classList.toggle("up", room < height && above > room)
  itemsOf(details)[0]?.focus()
}

const onKey = (event: KeyboardEvent): void => {
  const details = event.currentTarget as HTMLDetailsElement
  if (!details.open) return
  if (event.key === "Escape") {
    event.stopPropagation()
    details.open = false
    return details.querySelector("summary")?.focus()
  }
  const items = itemsOf(details)
  const at = items.findIndex((item) => item === document.activeElement)
  const next: Readonly<Record<string, number>> = {
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at < 0 ? -1 : at - 1,
    ArrowLeft: at < 0 ? -1 : at - 1,
    Home: 0,
    End: -1
  }
  const to = next[event.key]
  if (to === undefined) return
  event.preventDefault()
  // The keys of the list of messages are not meant while a menu is open.
  event.stopPropagation()
  items.at(to % Math.max(1, items.length))?.focus()
}

/** Closes a menu that the focus has left. */
export const onLeave = (event: FocusEvent): void => {
  const details = event.currentTarget as HTMLDetailsElement
  if (!(event.relatedTarget instanceof Node && details.contains(event.relatedTarget))) details.open = false
}

const onChoice = (event: Event): void => {
  if (!(event.target instanceof Element && event.target.closest('[role="menuitem"]') !== null)) return
  const details = (event.currentTarget as Element).closest("details")
  if (details !== null) details.open = false
}
