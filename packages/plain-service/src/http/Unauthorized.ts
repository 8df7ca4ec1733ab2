import { randomUUID } from "node:crypto"
import type { Readings } from "../Readings.ts"
import { Refusal } from "./Refusal.ts"
import { Reply } from "./Reply.ts"

/** Where a request is refused: a sandbox does so without a code (7.2). */
type Place = "openApi" | "sandbox"

const bodies = {
  empty: () => Reply.empty(401),
  invalid_token: () => Reply.json(401, { error: "invalid_token" }),
  Unauthorized: () => Reply.json(401, { error: "Unauthorized" }),
  envelope: (place: Place) =>
    Reply.json(401, { ...(place === "openApi" ? { code: 401 } : {}), msg: "Unauthorized", request_id: randomUUID() }),
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

  refusal(place: Place = "openApi"): Refusal {
    const { unauthorized } = this.#readings()
    if (unauthorized !== "cycle") return new Refusal(bodies[unauthorized](place))
    const body = cycle[this.#count++ % cycle.length] ?? bodies.empty
    return new Refusal(body(place))
  }
}
