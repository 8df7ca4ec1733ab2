import { type Form, isJsonObject, type Path } from "./Form.ts"

/** Returns the id that a component declares, or the next free one. */
export type ComponentIds = (component: unknown) => number

/** Reads the ids of components, which must be unique. */
export const readComponentIds = (form: Form, components: ReadonlyArray<unknown>, path: Path): ComponentIds => {
  const taken = new Set<number>()
  const collect = (value: unknown, at: Path): void => {
    if (!isJsonObject(value)) return
    const id = form.integer(value, "id", at, { min: 0, max: 2 ** 31 - 1 }) ?? 0
    if (taken.has(id)) form.addError([...at, "id"], "COMPONENT_ID_DUPLICATED", "Component id cannot be duplicated")
    if (id > 0) taken.add(id)
    for (const key of ["accessory", "component"]) collect(value[key], [...at, key])
    const { components: children } = value
    if (Array.isArray(children)) children.forEach((child, index) => collect(child, [...at, "components", index]))
  }
  components.forEach((one, index) => collect(one, [...path, index]))
  let lastId = 0
  return (component) => {
    if (isJsonObject(component) && typeof component["id"] === "number" && component["id"] > 0) return component["id"]
    do lastId++
    while (taken.has(lastId))
    return lastId
  }
}
