/** Seeded chance: the same seed gives the same throws in the same order. */
export interface Dice {
  /** A whole number from `from` to `to`, both included. */
  readonly int: (from: number, to: number) => number
  readonly chance: (share: number) => boolean
  /** One of the names, by their weights. */
  readonly pick: <Name extends string>(weights: Readonly<Record<Name, number>>) => Name
  /** Dice of their own for one part of a test, whose throws do not depend on the other parts. */
  readonly fork: (name: string) => Dice
}

/** Makes dice from a seed. */
export const make = (seed: string): Dice => {
  let state = hash(seed)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (share) => next() < share,
    pick: <Name extends string>(weights: Readonly<Record<Name, number>>) => {
      const names = Object.keys(weights) as Array<Name>
      let rest = next() * names.reduce((sum, name) => sum + weights[name], 0)
      return names.find((name) => (rest -= weights[name]) < 0) ?? names[0]!
    },
    fork: (name) => make(`${seed}/${name}`)
  }
}

/** FNV-1a. */
const hash = (text: string): number => {
  let sum = 0x811c9dc5
  for (const character of text) sum = Math.imul(sum ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return sum
}
