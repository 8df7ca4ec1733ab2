import { LitElement, html, nothing } from "lit"

/** Shows a picture that is not sent yet; its memory is freed when it leaves the page. */
export class FileThumb extends LitElement {
  static override properties = { file: { attribute: false } }
  declare file: File | undefined
  #shown: { readonly file: File; readonly url: string } | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#free()
  }

  override render(): unknown {
    if (this.file === undefined) return nothing
    if (this.#shown?.file !== this.file) {
      this.#free()
      this.#shown = { file: this.file, url: URL.createObjectURL(this.file) }
    }
    return html`<img src=${this.#shown.url} alt="" />`
  }

  #free(): void {
    if (this.#shown !== undefined) URL.revokeObjectURL(this.#shown.url)
    this.#shown = undefined
  }
}
