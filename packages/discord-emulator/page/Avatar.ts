import { type TemplateResult, html } from "lit"
import type { Person } from "./Types.ts"
import { avatarColor, displayName } from "./View.ts"

/** Draws an account's initials; the name stands beside it, so it is hidden from screen readers. */
export const avatar = (person: Person, size: "small" | "large" = "large"): TemplateResult =>
  html`<span class="avatar ${size}" aria-hidden="true" style="background:${avatarColor(person)}"
    >${initials(displayName(person))}</span
  >`

const initials = (name: string): string => {
  const words = name.split(/[\s_.-]+/).filter((word) => word !== "")
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 1)
  return letters.join("").toUpperCase()
}
