import { randomBytes } from "node:crypto"

/** A short number that a person can report and that is found again in the log. */
export const reference = (): string => randomBytes(4).toString("hex")
