import type {
  APICheckboxComponent,
  APICheckboxGroupComponent,
  APIComponentInLabel,
  APIFileUploadComponent,
  APIRadioGroupComponent,
  APISelectMenuComponent,
  APITextInputComponent
} from "discord-api-types/v10"
import { type TemplateResult, html, nothing } from "lit"
import { guard } from "lit/directives/guard.js"
import type { View } from "../actions/View.ts"
import { optionsOf, presetOf } from "../messages/SelectOptions.ts"
import { ComponentType, PARAGRAPH } from "../model/Constants.ts"

/** A component of a modal with what its control needs. */
interface Control<Field> {
  readonly field: Field
  readonly id: string
  readonly label: string
  readonly required: boolean
  readonly view: View
}

/** The form control for a component in a label. */
export const modalControl = (control: Control<APIComponentInLabel>): unknown => {
  const { field } = control
  switch (field.type) {
    case ComponentType.TextInput:
      return textInput({ ...control, field })
    case ComponentType.FileUpload:
      return fileUpload({ ...control, field })
    case ComponentType.RadioGroup:
      return radioGroup({ ...control, field })
    case ComponentType.CheckboxGroup:
      return checkboxGroup({ ...control, field })
    case ComponentType.Checkbox:
      return checkbox({ ...control, field })
    default:
      return selectMenu({ ...control, field })
  }
}

const textInput = ({ field, id, required }: Control<APITextInputComponent>): TemplateResult => {
  const { custom_id: name, max_length: max = 4000, min_length: min, placeholder = "", style, value = "" } = field
  return style === PARAGRAPH
    ? html`<textarea
        id=${id}
        name=${name}
        rows="4"
        ?required=${required}
        minlength=${min ?? nothing}
        maxlength=${max}
        placeholder=${placeholder}
        .defaultValue=${value}
      ></textarea>`
    : html`<input
        id=${id}
        name=${name}
        type="text"
        ?required=${required}
        minlength=${min ?? nothing}
        maxlength=${max}
        placeholder=${placeholder}
        .defaultValue=${value}
        autocomplete="off"
      />`
}

const fileUpload = ({ field, id, required }: Control<APIFileUploadComponent>): TemplateResult =>
  html`<input
    id=${id}
    name=${field.custom_id}
    type="file"
    ?required=${required}
    ?multiple=${(field.max_values ?? 1) > 1}
  />`

const radioGroup = ({ field, required }: Control<APIRadioGroupComponent>): unknown =>
  field.options.map(
    (option) =>
      html`<label class="choice"
        ><input
          type="radio"
          name=${field.custom_id}
          .value=${option.value}
          ?required=${required}
          .defaultChecked=${option.default === true}
        />
        ${optionText(option)}</label
      >`
  )

const checkboxGroup = ({ field }: Control<APICheckboxGroupComponent>): TemplateResult =>
  html`<div data-group=${field.custom_id}>
    ${field.options.map(
      (option) =>
        html`<label class="choice"
          ><input
            type="checkbox"
            data-in=${field.custom_id}
            .value=${option.value}
            .defaultChecked=${option.default === true}
          />
          ${optionText(option)}</label
        >`
    )}
  </div>`

const checkbox = ({ field, label }: Control<APICheckboxComponent>): TemplateResult =>
  html`<label class="choice"
    ><input type="checkbox" data-alone=${field.custom_id} .defaultChecked=${field.default === true} />
    <span>${label}</span></label
  >`

const selectMenu = ({ field, label, required, view }: Control<APISelectMenuComponent>): TemplateResult =>
  html`<select-menu
    data-name=${field.custom_id}
    .options=${optionsOf(field, view.state)}
    .chosen=${guard([field], () => presetOf(field))}
    .label=${label}
    .placeholder=${field.placeholder ?? "Make a selection"}
    .min=${required ? (field.min_values ?? 1) : 0}
    .max=${field.max_values ?? 1}
  ></select-menu>`

const optionText = ({
  description,
  label
}: {
  readonly label: string
  readonly description?: string
}): TemplateResult =>
  html`<span>${label}${description === undefined ? nothing : html`<small>${description}</small>`}</span>`
