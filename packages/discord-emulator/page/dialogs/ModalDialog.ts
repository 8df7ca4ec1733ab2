import type { APIComponentInLabel, APIModalInteractionResponseCallbackComponent } from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { guard } from "lit/directives/guard.js"
import { keyed } from "lit/directives/keyed.js"
import { ref } from "lit/directives/ref.js"
import type { Files, Options } from "../api/Api.ts"
import { optionsOf, presetOf } from "../messages/ComponentsView.ts"
import { icons } from "../widgets/Icons.ts"
import { ComponentType, PARAGRAPH } from "../model/Constants.ts"
import { markdown } from "../text/Markdown.ts"
import type { SelectMenu } from "../widgets/SelectMenu.ts"
import type { View } from "../actions/View.ts"

/** Shows the form that a bot opened. What is typed stays in the form's own fields until it is sent or closed. */
export const modalDialog = (view: View): unknown => {
  const modal = view.state.modal
  if (modal === undefined) return nothing
  return keyed(
    modal.interaction,
    html`<dialog class="modal" aria-labelledby="modal-title" ${ref(openDialog)} @close=${view.acting.closeModal}>
      <form
        @submit=${(event: SubmitEvent) => {
          event.preventDefault()
          const form = event.currentTarget as HTMLFormElement
          if (!menusAreFilled(form)) return
          const { values, files } = readForm(form)
          void view.acting.submitModal(values, files)
        }}
      >
        <header>
          <h2 id="modal-title">${modal.form.title}</h2>
          <button type="button" class="icon-button" aria-label="Close" @click=${view.acting.closeModal}>
            ${icons.close}
          </button>
        </header>
        <div class="fields">${modal.form.components.map((component) => part(component, view))}</div>
        ${modal.error === undefined ? nothing : html`<p class="refused" role="alert">${icons.warning} ${modal.error}</p>`}
        <footer>
          <button type="button" class="button secondary" @click=${view.acting.closeModal}>Cancel</button>
          <button type="submit" class="button primary ${modal.sending ? "busy" : ""}" ?disabled=${modal.sending}>
            Submit
          </button>
        </footer>
      </form>
    </dialog>`
  )
}

/** Asks before a message is deleted. */
export const deleteDialog = (view: View): unknown => {
  const id = view.state.deleting
  const message = view.state.messages[view.state.place ?? ""]?.list.find((entry) => entry.id === id)
  if (id === undefined || message === undefined) return nothing
  return html`<dialog
    class="modal"
    aria-labelledby="delete-title"
    ${ref(openDialog)}
    @close=${() => view.acting.askDelete(undefined)}
  >
    <form
      @submit=${(event: Event) => {
        event.preventDefault()
        void view.acting.remove(message)
      }}
    >
      <header><h2 id="delete-title">Delete this message?</h2></header>
      <div class="fields">
        <blockquote class="markup">
          ${message.content === "" ? "A message without text" : markdown(message.content, view.names)}
        </blockquote>
      </div>
      <footer>
        <button type="button" class="button secondary" @click=${() => view.acting.askDelete(undefined)}>Keep it</button>
        <button type="submit" class="button danger" autofocus>Delete</button>
      </footer>
    </form>
  </dialog>`
}

/** Opens a dialog over everything as soon as it is in the page. */
export const openDialog = (element: Element | undefined): void => {
  if (element instanceof HTMLDialogElement && !element.open) {
    // The element is in the page only after this rendering.
    queueMicrotask(() => {
      if (!element.isConnected || element.open) return
      element.showModal()
      // Not the button that closes it, which comes first.
      element.querySelector<HTMLElement>(".fields :is(input, textarea, select, button)")?.focus()
    })
  }
}

const part = (component: APIModalInteractionResponseCallbackComponent, view: View): unknown => {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return html`<div class="markup">${markdown(component.content, view.names)}</div>`
    case ComponentType.ActionRow:
      return component.components.map((child) => labelled(child.label ?? "", undefined, child, view))
    case ComponentType.Label:
      return labelled(component.label, component.description, component.component, view)
    default:
      return nothing
  }
}

const labelled = (
  label: string,
  description: string | undefined,
  field: APIComponentInLabel,
  view: View
): TemplateResult => {
  const id = `field-${field.custom_id}`
  const required = !("required" in field) || field.required !== false
  const single = field.type === ComponentType.TextInput || field.type === ComponentType.FileUpload
  const heading = html`${label}${required && field.type !== ComponentType.Checkbox ? html`<span class="star" aria-hidden="true"> *</span>` : nothing}`
  return html`<div class="field" role=${single ? nothing : "group"} aria-label=${single ? nothing : label}>
    ${single ? html`<label class="field-label" for=${id}>${heading}</label>` : html`<span class="field-label">${heading}</span>`}
    ${description === undefined ? nothing : html`<small>${description}</small>`}
    ${control(field, id, label, required, view)}
  </div>`
}

const control = (field: APIComponentInLabel, id: string, label: string, required: boolean, view: View): unknown => {
  const name = field.custom_id
  switch (field.type) {
    case ComponentType.TextInput: {
      const shared = { min: field.min_length ?? nothing, max: field.max_length ?? 4000, hint: field.placeholder ?? "" }
      return field.style === PARAGRAPH
        ? html`<textarea
            id=${id}
            name=${name}
            rows="4"
            ?required=${required}
            minlength=${shared.min}
            maxlength=${shared.max}
            placeholder=${shared.hint}
            .defaultValue=${field.value ?? ""}
          ></textarea>`
        : html`<input
            id=${id}
            name=${name}
            type="text"
            ?required=${required}
            minlength=${shared.min}
            maxlength=${shared.max}
            placeholder=${shared.hint}
            .defaultValue=${field.value ?? ""}
            autocomplete="off"
          />`
    }
    case ComponentType.FileUpload:
      return html`<input
        id=${id}
        name=${name}
        type="file"
        ?required=${required}
        ?multiple=${(field.max_values ?? 1) > 1}
      />`
    case ComponentType.RadioGroup:
      return field.options.map(
        (option) =>
          html`<label class="choice"
            ><input
              type="radio"
              name=${name}
              .value=${option.value}
              ?required=${required}
              .defaultChecked=${option.default === true}
            />
            <span
              >${option.label}${option.description === undefined ? nothing : html`<small>${option.description}</small>`}</span
            ></label
          >`
      )
    case ComponentType.CheckboxGroup:
      return html`<div data-group=${name}>
        ${field.options.map(
          (option) =>
            html`<label class="choice"
              ><input
                type="checkbox"
                data-in=${name}
                .value=${option.value}
                .defaultChecked=${option.default === true}
              />
              <span
                >${option.label}${option.description === undefined ? nothing : html`<small>${option.description}</small>`}</span
              ></label
            >`
        )}
      </div>`
    case ComponentType.Checkbox:
      return html`<label class="choice"
        ><input type="checkbox" data-alone=${name} .defaultChecked=${field.default === true} />
        <span>${label}</span></label
      >`
    default: {
      return html`<select-menu
        data-name=${name}
        .options=${optionsOf(field, view.state)}
        .chosen=${guard([field], () => presetOf(field))}
        .label=${label}
        .placeholder=${field.placeholder ?? "Make a selection"}
        .min=${required ? (field.min_values ?? 1) : 0}
        .max=${field.max_values ?? 1}
      ></select-menu>`
    }
  }
}

const menusAreFilled = (form: HTMLFormElement): boolean => {
  for (const menu of form.querySelectorAll<SelectMenu>("select-menu")) {
    if (menu.chosen.length < menu.min) {
      menu.querySelector("button")?.focus()
      menu.classList.add("wrong")
      return false
    }
  }
  return true
}

const readForm = (form: HTMLFormElement): { readonly values: Options; readonly files: Files } => {
  const values: Record<string, string | ReadonlyArray<string>> = {}
  const files: Record<string, ReadonlyArray<File>> = {}
  for (const [name, value] of new FormData(form)) {
    if (typeof value === "string") values[name] = value
    else if (value.size > 0 || value.name !== "") files[name] = [...(files[name] ?? []), value]
  }
  for (const group of form.querySelectorAll<HTMLElement>("[data-group]")) {
    values[group.dataset["group"] ?? ""] = [...group.querySelectorAll<HTMLInputElement>("input:checked")].map(
      (box) => box.value
    )
  }
  for (const box of form.querySelectorAll<HTMLInputElement>("[data-alone]"))
    values[box.dataset["alone"] ?? ""] = String(box.checked)
  for (const menu of form.querySelectorAll<SelectMenu>("select-menu")) values[menu.dataset["name"] ?? ""] = menu.chosen
  return { values, files }
}
