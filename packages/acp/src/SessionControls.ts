import type * as Wire from "./schema/generated/AcpSchema.ts"
import type { SessionState } from "./SessionModel.ts"

/** A value that a person may choose. */
export interface Value {
  readonly id: string
  readonly name: string
  readonly description?: string
}

/** What a person may choose in a session: its mode, its model, or one of its options. */
export interface Control {
  readonly kind: "mode" | "model" | "option"
  /** The id of the option that holds it; undefined where the agent has only the request for modes or models. */
  readonly configId: string | undefined
  readonly name: string
  readonly description?: string
  /** The category of the option, as the agent names it. */
  readonly category?: string
  /** Undefined where it is not known. */
  readonly current: string | boolean | undefined
  /** Empty for a switch, which is on or off. */
  readonly values: ReadonlyArray<Value>
}

/** What a session offers to choose, from either form of the protocol. An agent that offers nothing has no controls. */
export interface Controls {
  readonly mode?: Control
  readonly model?: Control
  /** The options besides those two, in the agent's order. */
  readonly options: ReadonlyArray<Control>
}

/** The controls of a session. Of an agent that has its modes or models twice, modes come first and options of models. */
export const of = (state: Pick<SessionState, "configOptions" | "mode" | "model" | "models" | "modes">): Controls => {
  const all = state.configOptions.flatMap(fromOption)
  const first = (category: string) => all.find((control) => control.category === category)
  const mode = fromList("mode", state.modes, state.mode) ?? asKind("mode", first("mode"))
  const model = asKind("model", first("model")) ?? fromList("model", state.models, state.model)
  return {
    ...(mode === undefined ? {} : { mode }),
    ...(model === undefined ? {} : { model }),
    options: all.filter((control) => control !== first("mode") && control !== first("model"))
  }
}

/** The name of a value; the value itself where the agent does not offer it. */
export const nameOf = ({ values }: Pick<Control, "values">, value: string | boolean): string =>
  values.find(({ id }) => id === value)?.name ?? String(value)

const fromList = (
  kind: "mode" | "model",
  values: ReadonlyArray<Wire.SessionMode>,
  current: string | undefined
): Control | undefined =>
  values.length === 0
    ? undefined
    : { kind, configId: undefined, name: kind, category: kind, current, values: values.map(toValue) }

const asKind = (kind: "mode" | "model", control: Control | undefined): Control | undefined =>
  control === undefined ? undefined : { ...control, kind }

const fromOption = (option: Wire.SessionConfigOption): ReadonlyArray<Control> => {
  if (option.type === "unknown") return []
  const { category, currentValue, description, id, name } = option as KnownOption
  const control = {
    kind: "option" as const,
    configId: id,
    name,
    current: currentValue,
    ...(typeof category === "string" ? { category } : {}),
    ...(typeof description === "string" ? { description } : {})
  }
  return [{ ...control, values: option.type === "select" ? valuesOf((option as SelectOption).options) : [] }]
}

type KnownOption = Exclude<Wire.SessionConfigOption, { readonly type: "unknown" }>
type SelectOption = Extract<Wire.SessionConfigOption, { readonly type: "select" }>

const valuesOf = (options: Wire.SessionConfigSelectOptions): ReadonlyArray<Value> =>
  options.flatMap((option) =>
    "group" in option
      ? option.options.map(({ value, ...rest }) => toValue({ ...rest, id: value }))
      : [toValue({ ...option, id: option.value })]
  )

const toValue = ({
  description,
  id,
  name
}: {
  readonly id: string
  readonly name: string
  readonly description?: string | null | undefined
}): Value => ({ id, name, ...(typeof description === "string" ? { description } : {}) })
