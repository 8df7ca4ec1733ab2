import { expect } from "vitest"

/** Expects something that becomes true, however busy the machine is. */
export const eventually: (typeof expect)["poll"] = (get) => expect.poll(get, { timeout: 15_000, interval: 5 })
