import { type Form, isJsonObject, type Path } from "./Form.ts"

/** Returns the id of a component: its own, or the next free one. */
export type ComponentIds = (component: unknown) => number

/** Reads the ids of components, which must be unique. */
export const readComponentIds = (form: Form, components: ReadonlyArray<unknown>, path: Path): ComponentIds => {
  const taken = new Set<number>()
  const look = (value: unknown, at: Path): void => {
    if (!isJsonObject(value)) return
    const id = form.integer(value, "id", at, { min: 0, max: 2 ** 31 - 1 }) ?? 0
    if (taken.has(id)) form.addError([...at, "id"], "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
    if (id > 0) taken.add(id)
    for (const key of ["accessory", "component"]) look(value[key], [...at, key])
    const { components: inside } = value
    if (Array.isArray(inside)) inside.forEach((child, index) => look(child, [...at, "components", index]))
  }
  components.forEach((one, index) => look(one, [...path, index]))
  let last = 0
  return (component) => {
    if (isJsonObject(component) && typeof component["id"] === "number" && component["id"] > 0) return component["id"]
    do last++
    while (taken.has(last))
    return last
  }
}
