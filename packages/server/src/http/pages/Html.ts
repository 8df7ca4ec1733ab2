/** Text that is markup already. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Part = string | number | undefined | Html | ReadonlyArray<Html>

/** Markup with escaped values between it: whatever is no {@link Html} is text. */
export const html = (texts: TemplateStringsArray, ...parts: ReadonlyArray<Part>): Html =>
  new Html(texts.map((text, index) => text + (index < parts.length ? render(parts[index]) : "")).join(""))

const render = (part: Part): string => {
  if (part === undefined) return ""
  if (part instanceof Html) return part.markup
  if (typeof part === "object") return part.map(render).join("\n")
  return String(part).replace(/[&<>"'`]/g, (char) => `&#${char.charCodeAt(0)};`)
}
