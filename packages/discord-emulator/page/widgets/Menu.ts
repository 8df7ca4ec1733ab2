import { type TemplateResult, html, nothing } from "lit"

/**
 * Shows a button that opens a menu. The arrow keys move through its items, Escape and a lost focus close it. It opens
 * upwards where the space below is too small. A button with only an icon (`hasOnlyIcon`) has its label for screen
 * readers.
 */
export const menu = (kind: string, label: string, face: unknown, items: unknown, hasOnlyIcon = true): TemplateResult =>
  html`<details class="pop ${kind}" @toggle=${onToggle} @keydown=${onKey} @focusout=${onLeave}>
    <summary title=${hasOnlyIcon ? label : nothing} aria-label=${hasOnlyIcon ? label : nothing} aria-haspopup="menu">
      ${face}
    </summary>
    <div class="pop-list" role="menu" @click=${onChoice}>${items}</div>
  </details>`

/** Shows one line of a menu. */
export const menuItem = (label: unknown, onClick: () => void, kind = ""): TemplateResult =>
  html`<button type="button" role="menuitem" class=${kind} @click=${onClick}>${label}</button>`

/** Opens the menu of this kind inside an element; returns false when there is none. */
export const openMenuIn = (element: Element, kind: string): boolean => {
  const details = element.querySelector<HTMLDetailsElement>(`details.${kind}`)
  if (details === null) return false
  details.open = true
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
  const spaceBelow = (edge?.bottom ?? innerHeight) - details.getBoundingClientRect().bottom
  const spaceAbove = details.getBoundingClientRect().top - (edge?.top ?? 0)
  const height = list?.getBoundingClientRect().height ?? 0
  details.classList.toggle("up", spaceBelow < height && spaceAbove > spaceBelow)
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
  const index = items.findIndex((item) => item === document.activeElement)
  const nextIndex: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowRight: index + 1,
    ArrowUp: index < 0 ? -1 : index - 1,
    ArrowLeft: index < 0 ? -1 : index - 1,
    Home: 0,
    End: -1
  }
  const next = nextIndex[event.key]
  if (next === undefined) return
  event.preventDefault()
  // The message list must not handle the key as well.
  event.stopPropagation()
  items.at(next % Math.max(1, items.length))?.focus()
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
