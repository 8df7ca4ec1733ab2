import { LitElement, type PropertyValues, html, nothing } from "lit"
import { icons } from "./Icons.ts"

const INITIAL_LINES = 6
const MAX_CHARACTERS = 200_000

/** Shows the first lines of a text file, and up to 200,000 characters on request. */
export class TextPreview extends LitElement {
  static override properties = { src: {}, content: { state: true }, problem: { state: true }, open: { state: true } }
  declare src: string
  declare content: string | undefined
  declare problem: string | undefined
  declare open: boolean

  constructor() {
    super()
    this.open = false
  }

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("src")) void this.read()
  }

  override render(): unknown {
    if (this.problem !== undefined) return html`<p class="preview-problem">${this.problem}</p>`
    if (this.content === undefined) return html`<p class="preview-problem">Loading the preview…</p>`
    const lines = this.content.split("\n")
    const visibleLines = this.open ? lines : lines.slice(0, INITIAL_LINES)
    const hasMore = lines.length > INITIAL_LINES
    return html`<pre tabindex="0"><code>${visibleLines.join("\n")}</code></pre>
      ${
        hasMore
          ? html`<button
              type="button"
              class="expand"
              aria-expanded=${this.open}
              @click=${() => (this.open = !this.open)}
            >
              ${icons.chevron} ${this.open ? "Show less" : `Show all ${lines.length.toLocaleString()} lines`}
            </button>`
          : nothing
      }`
  }

  private async read(): Promise<void> {
    const { src } = this
    try {
      const response = await fetch(src)
      if (!response.ok) throw new Error(String(response.status))
      const text = await response.text()
      // Another file may have taken its place meanwhile.
      if (src !== this.src) return
      this.content = text.slice(0, MAX_CHARACTERS).replace(/\n$/, "")
      this.problem = undefined
    } catch {
      if (src === this.src) this.problem = "The preview could not be loaded; the file can still be downloaded."
    }
  }
}
