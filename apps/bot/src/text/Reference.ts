import { randomBytes } from "node:crypto"

/** A short id that a person can report and that appears in the log. */
export const reference = (): string => randomBytes(4).toString("hex")
