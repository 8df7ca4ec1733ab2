import { type TemplateResult, html } from "lit"
import { icons } from "./Icons.ts"

/** A button with a cross; `label` is its name for screen readers. */
export const closeButton = (label: string, onClick: () => void): TemplateResult =>
  html`<button type="button" class="icon-button" aria-label=${label} @click=${onClick}>${icons.close}</button>`
