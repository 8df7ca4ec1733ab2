import { randomUUID } from "node:crypto"
import type { Readings } from "../Readings.ts"
import { Refusal } from "./Refusal.ts"
import { Reply } from "./Reply.ts"

const bodies = {
  empty: () => Reply.empty(401),
  invalid_token: () => Reply.json(401, { error: "invalid_token" }),
  Unauthorized: () => Reply.json(401, { error: "Unauthorized" }),
  envelope: () => Reply.json(401, { code: 401, msg: "Unauthorized", request_id: randomUUID() }),
  text: () => Reply.text(401, "Unauthorized")
}

const cycle = Object.values(bodies)

/** Makes the refusals of a bearer token; the document shows neither their body nor a header (7.1). */
export class Unauthorized {
  readonly #readings: () => Readings
  #count = 0

  constructor(readings: () => Readings) {
    this.#readings = readings
  }

  refusal(): Refusal {
    const { unauthorized } = this.#readings()
    if (unauthorized !== "cycle") return new Refusal(bodies[unauthorized]())
    const body = cycle[this.#count++ % cycle.length] ?? bodies.empty
    return new Refusal(body())
  }
}
