/** Looks a foreign name up in a table; inherited names such as "constructor" are not found. */
export const lookup = <A>(table: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
