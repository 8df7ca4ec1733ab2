import { type TemplateResult, html } from "lit"
import type { Person } from "../model/Types.ts"
import { avatarColor, displayName } from "../model/Names.ts"

/** Draws the initials of an account. Screen readers skip them and read the name beside them. */
export const avatar = (person: Person, size: "small" | "large" = "large"): TemplateResult =>
  html`<span
    class="avatar ${size}"
    aria-hidden="true"
    style="background:${avatarColor(person)};color:${textColorOn(avatarColor(person))}"
    data-letters=${initials(displayName(person))}
  ></span>`

// Dark letters on light colours: contrast decides, not taste.
const textColorOn = (color: string): string => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? "#10181b" : "#ffffff"
}

const initials = (name: string): string => {
  const words = name.split(/[\s_.-]+/).filter((word) => word !== "")
  const letters = words.length > 1 ? words.slice(0, 2).map((word) => [...word][0]) : [...(words[0] ?? "?")].slice(0, 1)
  return letters.join("").toUpperCase()
}
