/** What a table has under a name from outside; a name that every object has ("constructor") is none of the table's. */
export const lookup = <A>(table: Readonly<Record<string, A>>, name: string): A | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined
