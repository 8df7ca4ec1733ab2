/** All ways to read a text from a place on, the preferred one first. Each has a value and the place where it ends. */
export type Parser<A> = (at: number) => ReadonlyArray<Reading<A>>

/** One way to read a part of a text. */
export type Reading<A> = readonly [value: A, end: number]

/** Reads parts one after another. */
export const seq =
  <A extends ReadonlyArray<unknown>>(...parts: { readonly [K in keyof A]: Parser<A[K]> }): Parser<A> =>
  (at) =>
    parts.reduce<ReadonlyArray<Reading<ReadonlyArray<unknown>>>>(
      (readings, part) =>
        readings.length === 0
          ? readings
          : distinct(readings.flatMap(([values, end]) => part(end).map(([value, next]) => [[...values, value], next]))),
      [[[], at]]
    ) as unknown as ReadonlyArray<Reading<A>>

/** Reads one of several forms. */
export const alt =
  <A>(...forms: ReadonlyArray<Parser<A>>): Parser<A> =>
  (at) =>
    forms.flatMap((form) => form(at))

/** Reads a part, or nothing. */
export const opt =
  <A>(part: Parser<A>): Parser<A | undefined> =>
  (at) => [...part(at), [undefined, at]]

/** Changes what was read; `undefined` means that it cannot be read so. */
export const map =
  <A, B>(part: Parser<A>, change: (value: A) => B | undefined): Parser<B> =>
  (at) =>
    part(at).flatMap(([value, end]) => {
      const changed = change(value)
      return changed === undefined ? [] : [[changed, end] as const]
    })

/** Reads one or more parts, the most first. */
export const many = <A>(part: Parser<A>, separator: Parser<unknown>): Parser<ReadonlyArray<A>> => {
  const rest = seq<[unknown, A]>(separator, part)
  const from =
    (read: ReadonlyArray<A>): Parser<ReadonlyArray<A>> =>
    (at) => [...rest(at).flatMap(([[, value], end]) => (end > at ? from([...read, value])(end) : [])), [read, at]]
  return (at) => distinct(part(at).flatMap(([value, end]) => from([value])(end)))
}

/** Remembers what was read at each place, so that a text is read in a time that does not explode. */
export const memo = <A>(part: Parser<A>): Parser<A> => {
  const known = new Map<number, ReadonlyArray<Reading<A>>>()
  return (at) => {
    const before = known.get(at)
    if (before !== undefined) return before
    const readings = distinct(part(at))
    known.set(at, readings)
    return readings
  }
}

/** More ways to read the same part are not followed. */
const MAX_READINGS = 60

/** Optional words make readings that differ in nothing. */
const distinct = <A>(readings: ReadonlyArray<Reading<A>>): ReadonlyArray<Reading<A>> => {
  if (readings.length < 2) return readings
  const keys = new Set<string>()
  return readings
    .filter((reading) => {
      const key = JSON.stringify(reading)
      return !keys.has(key) && keys.add(key)
    })
    .slice(0, MAX_READINGS)
}
