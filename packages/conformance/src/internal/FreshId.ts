import { randomUUID } from "node:crypto"

/** A request id that no other run has used, 48 characters long. */
export const freshId = (): string => `conformance-${randomUUID()}`
