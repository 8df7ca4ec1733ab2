import { field, isRecord, stringField } from "../../internal/Json.ts"

/** What can be chosen in a session: its mode, its model, or one of its options. */
export interface Control {
  readonly of: "mode" | "model" | "option"
  /** The id of the option; empty for the mode and the model. */
  readonly id: string
  /** The name that people read. */
  readonly name: string
  readonly category: string | undefined
  /** Undefined where the agent did not say it. */
  readonly current: unknown
  /** The values that the agent offers; undefined for a switch, which is on or off. */
  readonly values: ReadonlyArray<{ readonly value: string; readonly name: string }> | undefined
}

/** A value that was chosen; `label` is what people read, such as `mode "Plan"`. */
export interface Choice {
  readonly of: Control["of"]
  readonly id: string
  readonly value: string | boolean
  readonly label: string
}

/** The controls in an agent's answer to opening its session. */
export const of = (sessionInfo: unknown): ReadonlyArray<Control> => [
  ...older(sessionInfo, "mode", "modes", "availableModes", "id", "currentModeId"),
  ...older(sessionInfo, "model", "models", "availableModels", "modelId", "currentModelId"),
  ...options(sessionInfo).flatMap((option): ReadonlyArray<Control> => {
    const id = stringField(option, "id")
    const type = field(option, "type")
    if (id === undefined || (type !== "select" && type !== "boolean")) return []
    return [
      {
        of: "option",
        id,
        name: stringField(option, "name") ?? id,
        category: stringField(option, "category"),
        current: field(option, "currentValue"),
        values: type === "boolean" ? undefined : list(field(option, "options")).flatMap(valuesOf)
      }
    ]
  })
]

/** The control of a choice. */
export const find = (sessionInfo: unknown, choice: Pick<Choice, "id" | "of">): Control | undefined =>
  of(sessionInfo).find((control) => isOf(control, choice))

export const offers = ({ values }: Control, value: unknown): boolean =>
  values === undefined ? typeof value === "boolean" : values.some((each) => each.value === value)

/** The choice of a client's request; undefined for another request, or one without a usable value. */
export const fromRequest = (sessionInfo: unknown, method: string, params: unknown): Choice | undefined => {
  switch (method) {
    case "session/set_mode":
      return choiceOf(sessionInfo, { of: "mode", id: "" }, field(params, "modeId"))
    case "session/set_model":
      return choiceOf(sessionInfo, { of: "model", id: "" }, field(params, "modelId"))
    case "session/set_config_option": {
      const id = stringField(params, "configId") ?? ""
      const isModel = id === modelOptionId && hasModelsOnly(sessionInfo)
      return choiceOf(sessionInfo, isModel ? { of: "model", id: "" } : { of: "option", id }, field(params, "value"))
    }
    default:
      return undefined
  }
}

/** The request that makes a choice. */
export const toRequest = ({
  id,
  of,
  value
}: Choice): { readonly method: string; readonly params: Readonly<Record<string, unknown>> } => {
  switch (of) {
    case "mode":
      return { method: "session/set_mode", params: { modeId: value } }
    case "model":
      return { method: "session/set_model", params: { modelId: value } }
    case "option": {
      const type = typeof value === "boolean" ? { type: "boolean" } : {}
      return { method: "session/set_config_option", params: { configId: id, ...type, value } }
    }
  }
}

/**
 * Sets the value of a choice. Some agents have the same setting twice, as their mode or model and as an option of that
 * category.
 */
export const withChoice = (sessionInfo: unknown, choice: Pick<Choice, "id" | "of" | "value">): unknown => {
  const target = find(sessionInfo, choice)
  if (target === undefined) return sessionInfo
  return of(sessionInfo)
    .filter((control) => isOf(control, choice) || (areSame(control, target) && offers(control, choice.value)))
    .reduce((changed, control) => withValue(changed, control, choice.value), sessionInfo)
}

/** Adds a choice; it replaces the earlier ones of the same setting. */
export const choose = (sessionInfo: unknown, choices: ReadonlyArray<Choice>, choice: Choice): ReadonlyArray<Choice> => {
  const target = find(sessionInfo, choice)
  const others = choices.filter((other) => {
    const control = find(sessionInfo, other)
    return !isOf(other, choice) && (target === undefined || control === undefined || !areSame(control, target))
  })
  return [...others, choice]
}

/** The choices as the agent has them now; those that it no longer offers are left out. */
export const followed = (sessionInfo: unknown, choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> =>
  choices.flatMap((choice) => {
    const control = find(sessionInfo, choice)
    if (control === undefined) return []
    if (control.current === choice.value) return [choice]
    const now = choiceOf(sessionInfo, choice, control.current)
    return now === undefined ? [] : [now]
  })

/** The choices that the agent no longer offers. */
export const notOffered = (sessionInfo: unknown, choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> =>
  choices.filter((choice) => {
    const control = find(sessionInfo, choice)
    return control === undefined || !offers(control, choice.value)
  })

/**
 * The first choice that the agent offers and does not have, or of which it said nothing: the model first, because options
 * may depend on it, the mode last.
 */
export const firstDifference = (
  sessionInfo: unknown,
  choices: ReadonlyArray<Choice>,
  unconfirmed: ReadonlyArray<Choice>
): Choice | undefined =>
  choices
    .flatMap((choice) => {
      const control = find(sessionInfo, choice)
      if (control === undefined || !offers(control, choice.value)) return []
      if (control.current === choice.value && !unconfirmed.includes(choice)) return []
      return [{ choice, rank: control.category === "model" ? 0 : control.category === "mode" ? 2 : 1 }]
    })
    .sort((one, other) => one.rank - other.rank)[0]?.choice

/** A choice with the names that people read; undefined for a value of another type. */
export const choiceOf = (
  sessionInfo: unknown,
  target: Pick<Choice, "id" | "of">,
  value: unknown
): Choice | undefined => {
  if (typeof value !== "string" && typeof value !== "boolean") return undefined
  const control = find(sessionInfo, target)
  const name = control?.name ?? (target.id === "" ? target.of : target.id)
  const shown = control?.values?.find((each) => each.value === value)?.name ?? value
  const label = `${name} "${typeof shown === "boolean" ? (shown ? "on" : "off") : shown}"`
  return { of: target.of, id: target.id, value, label }
}

/**
 * The id of the option that stands for the `models` of an agent without such an option: the protocol has no update for
 * `models`, so that other clients would not hear of a change.
 */
export const modelOptionId = "model"

/** Adds that option. */
export const withModelOption = (sessionInfo: unknown): unknown => {
  const model = find(sessionInfo, { of: "model", id: "" })
  if (model === undefined || !isRecord(sessionInfo) || !hasModelsOnly(sessionInfo)) return sessionInfo
  const option = {
    id: modelOptionId,
    name: "Model",
    category: "model",
    type: "select",
    currentValue: model.current,
    options: model.values
  }
  return { ...sessionInfo, configOptions: [...options(sessionInfo), option] }
}

const hasModelsOnly = (sessionInfo: unknown): boolean =>
  isRecord(field(sessionInfo, "models")) &&
  !options(sessionInfo).some((option) => field(option, "category") === "model" || field(option, "id") === modelOptionId)

const isOf = (one: Pick<Choice, "id" | "of">, other: Pick<Choice, "id" | "of">): boolean =>
  one.of === other.of && one.id === other.id

const areSame = (one: Control, other: Control): boolean =>
  one.category === other.category && (one.category === "mode" || one.category === "model")

const withValue = (sessionInfo: unknown, { id, of }: Control, value: string | boolean): unknown => {
  if (!isRecord(sessionInfo)) return sessionInfo
  if (of === "mode") return { ...sessionInfo, modes: { ...record(sessionInfo["modes"]), currentModeId: value } }
  if (of === "model") return { ...sessionInfo, models: { ...record(sessionInfo["models"]), currentModelId: value } }
  return {
    ...sessionInfo,
    configOptions: options(sessionInfo).map((option) =>
      field(option, "id") === id ? { ...record(option), currentValue: value } : option
    )
  }
}

/** The control of the protocol's older form, in a member of its own. */
const older = (
  sessionInfo: unknown,
  of: "mode" | "model",
  member: string,
  available: string,
  idName: string,
  current: string
): ReadonlyArray<Control> => {
  const state = field(sessionInfo, member)
  if (!isRecord(state)) return []
  const values = list(state[available]).flatMap((each) => {
    const value = stringField(each, idName)
    return value === undefined ? [] : [{ value, name: stringField(each, "name") ?? value }]
  })
  return [{ of, id: "", name: of, category: of, current: state[current], values }]
}

/** The values of one choice, or of one group of choices. */
const valuesOf = (option: unknown): ReadonlyArray<{ readonly value: string; readonly name: string }> => {
  const inGroup = field(option, "options")
  if (Array.isArray(inGroup)) return inGroup.flatMap(valuesOf)
  const value = stringField(option, "value")
  return value === undefined ? [] : [{ value, name: stringField(option, "name") ?? value }]
}

const options = (sessionInfo: unknown): ReadonlyArray<unknown> => list(field(sessionInfo, "configOptions"))

const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const record = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})
