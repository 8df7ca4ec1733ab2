import type { Files, Options } from "../api/Api.ts"
import type { SelectMenu } from "../widgets/SelectMenu.ts"

/** Whether every select menu has enough choices; focuses the first that has not. */
export const menusAreFilled = (form: HTMLFormElement): boolean => {
  for (const menu of form.querySelectorAll<SelectMenu>("select-menu")) {
    if (menu.chosen.length < menu.min) {
      menu.querySelector("button")?.focus()
      menu.classList.add("wrong")
      return false
    }
  }
  return true
}

/** The values and files of a modal's form, by custom id. */
export const readForm = (form: HTMLFormElement): { readonly values: Options; readonly files: Files } => {
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
