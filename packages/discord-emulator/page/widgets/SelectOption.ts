/** One option of a select menu. */
export interface SelectOption {
  readonly label: string
  readonly value: string
  readonly description?: string | undefined
  readonly emoji?: { readonly id?: string | null; readonly name?: string | null } | undefined
}

/** How many options a person may select. */
interface SelectionLimits {
  readonly min: number
  readonly max: number
}

/** The selected values after a click on one option. */
export const toggleValue = (
  selected: ReadonlyArray<string>,
  value: string,
  { max, min }: SelectionLimits
): ReadonlyArray<string> => {
  const isSelected = selected.includes(value)
  if (max === 1) return isSelected && min === 0 ? [] : [value]
  if (isSelected) return selected.filter((entry) => entry !== value)
  return selected.length < max ? [...selected, value] : selected
}

/** The index of the active option after a key: arrows, Home and End, or the first letter of a label. */
export const moveActive = (key: string, active: number, options: ReadonlyArray<SelectOption>): number | undefined => {
  const last = options.length - 1
  switch (key) {
    case "ArrowDown":
      return Math.min(last, active + 1)
    case "ArrowUp":
      return Math.max(0, active - 1)
    case "Home":
      return 0
    case "End":
      return last
    default:
      return undefined
  }
}

/** The index of the first option whose label starts with a letter. */
export const findByLetter = (letter: string, options: ReadonlyArray<SelectOption>): number | undefined => {
  const found = options.findIndex((option) => option.label.toLowerCase().startsWith(letter.toLowerCase()))
  return found < 0 ? undefined : found
}
