import type { Readings } from "../Readings.ts"
import { Person } from "./Person.ts"

/** The users, each of whom exists from the first use of the name. */
export class People {
  readonly #readings: () => Readings
  readonly #people = new Map<string, Person>()

  constructor(readings: () => Readings) {
    this.#readings = readings
  }

  named(name: string): Person {
    const person = this.#people.get(name) ?? new Person(name, this.#readings)
    this.#people.set(name, person)
    return person
  }
}
