import { type Node, rules } from "@odiffey/discord-markdown"
import { type TemplateResult, html, nothing } from "lit"

/** A highlighted code block with a button that copies it. */
export const codeBlock = (node: Node): TemplateResult => {
  const code = String(node.content ?? "")
  const copy = (event: Event) => {
    const button = event.currentTarget as HTMLButtonElement
    navigator.clipboard.writeText(code).then(
      () => (button.textContent = "Copied"),
      () => (button.textContent = "Not allowed")
    )
  }
  return html`<div class="code-block">
    <pre tabindex="0"><code>${highlighted(node, code)}</code></pre>
    <button type="button" class="copy" @click=${copy}>Copy</button>
  </div>`
}

// The highlighter returns HTML; only the classes of its spans and its text are used.
const highlighted = (node: Node, code: string): unknown => {
  if ((node["lang"] ?? "") === "") return code
  const inert = document.createElement("template")
  inert.innerHTML = rules.codeBlock.html(node, undefined, {})
  const walk = (parent: globalThis.Node): ReadonlyArray<unknown> =>
    [...parent.childNodes].map((child) =>
      child instanceof HTMLElement
        ? html`<span class=${/^hljs[\w -]*$/.test(child.className) ? child.className : nothing}>${walk(child)}</span>`
        : (child.textContent ?? "")
    )
  const block = inert.content.querySelector("code")
  return block === null ? code : walk(block)
}
