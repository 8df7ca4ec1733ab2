import { createHash, randomUUID } from "node:crypto"
import type { Readings } from "../Readings.ts"
import { LocalAssistant } from "./LocalAssistant.ts"

/** A redemption that was made (2.10). */
export interface Redemption {
  readonly fingerprint: string
  readonly flowNo: string
  readonly credits: number
}

/** A user of the service. */
export class Person {
  readonly name: string
  /** Differs for each application, and in each run (5). */
  readonly openId: string
  readonly assistant: LocalAssistant
  readonly redemptions = new Map<string, Redemption>()

  constructor(name: string, readings: () => Readings) {
    this.name = name
    this.openId = createHash("sha256").update(`${name} ${randomUUID()}`).digest("hex").slice(0, 32)
    this.assistant = new LocalAssistant(readings)
  }

  get redeemedCredits(): number {
    return [...this.redemptions.values()].reduce((sum, { credits }) => sum + credits, 0)
  }
}
