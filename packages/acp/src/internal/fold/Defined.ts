type Defined<A> = { readonly [K in keyof A]?: Exclude<A[K], null | undefined> }

/** The fields that have a value. */
export const defined = <A extends object>(fields: A): Defined<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as Defined<A>
