/** A name as it is compared: without case and width, and with one space for spaces, `_` and `-`. */
export const comparable = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim()

/** The item that a person named: the one with exactly this name, or else the first with a {@link comparable} one. */
export const findNamed = <A>(
  items: ReadonlyArray<A>,
  typed: string,
  ...namesOf: ReadonlyArray<(item: A) => string>
): A | undefined => {
  const wanted = comparable(typed)
  const isNamed = (isSame: (name: string) => boolean) =>
    namesOf.map((nameOf) => items.find((item) => isSame(nameOf(item)))).find((item) => item !== undefined)
  return isNamed((name) => name === typed) ?? isNamed((name) => comparable(name) === wanted)
}
