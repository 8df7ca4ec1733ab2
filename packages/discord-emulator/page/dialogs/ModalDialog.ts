import type { APIComponentInLabel, APIModalInteractionResponseCallbackComponent } from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { keyed } from "lit/directives/keyed.js"
import { ref } from "lit/directives/ref.js"
import type { View } from "../actions/View.ts"
import { ComponentType } from "../model/Constants.ts"
import { markdown } from "../text/Markdown.ts"
import { closeButton } from "../widgets/CloseButton.ts"
import { icons } from "../widgets/Icons.ts"
import { modalControl } from "./ModalControl.ts"
import { menusAreFilled, readForm } from "./ModalForm.ts"
import { openDialog } from "./OpenDialog.ts"

/** The modal that a bot opened. The form fields hold the input until it is submitted or closed. */
export const modalDialog = (view: View): unknown => {
  const modal = view.state.modal
  if (modal === undefined) return nothing
  return keyed(
    modal.interaction,
    html`<dialog class="modal" aria-labelledby="modal-title" ${ref(openDialog)} @close=${view.actions.closeModal}>
      <form
        @submit=${(event: SubmitEvent) => {
          event.preventDefault()
          const form = event.currentTarget as HTMLFormElement
          if (!menusAreFilled(form)) return
          const { values, files } = readForm(form)
          void view.actions.submitModal(values, files)
        }}
      >
        <header>
          <h2 id="modal-title">${modal.form.title}</h2>
          ${closeButton("Close", view.actions.closeModal)}
        </header>
        <div class="fields">${modal.form.components.map((component) => modalComponent(component, view))}</div>
        ${modal.error === undefined ? nothing : html`<p class="refused" role="alert">${icons.warning} ${modal.error}</p>`}
        <footer>
          <button type="button" class="button secondary" @click=${view.actions.closeModal}>Cancel</button>
          <button type="submit" class="button primary ${modal.sending ? "busy" : ""}" ?disabled=${modal.sending}>
            Submit
          </button>
        </footer>
      </form>
    </dialog>`
  )
}

const modalComponent = (component: APIModalInteractionResponseCallbackComponent, view: View): unknown => {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return html`<div class="markup">${markdown(component.content, view.names)}</div>`
    case ComponentType.ActionRow:
      return component.components.map((child) => labeledControl(child.label ?? "", undefined, child, view))
    case ComponentType.Label:
      return labeledControl(component.label, component.description, component.component, view)
    default:
      return nothing
  }
}

const labeledControl = (
  label: string,
  description: string | undefined,
  field: APIComponentInLabel,
  view: View
): TemplateResult => {
  const id = `field-${field.custom_id}`
  const required = !("required" in field) || field.required !== false
  const isSingleField = field.type === ComponentType.TextInput || field.type === ComponentType.FileUpload
  const heading = html`${label}${required && field.type !== ComponentType.Checkbox ? html`<span class="star" aria-hidden="true"> *</span>` : nothing}`
  return html`<div
    class="field"
    role=${isSingleField ? nothing : "group"}
    aria-label=${isSingleField ? nothing : label}
  >
    ${isSingleField ? html`<label class="field-label" for=${id}>${heading}</label>` : html`<span class="field-label">${heading}</span>`}
    ${description === undefined ? nothing : html`<small>${description}</small>`}
    ${modalControl({ field, id, label, required, view })}
  </div>`
}
