import * as Effect from "effect/Effect"
import { failed, type Finding, note, ok } from "./Finding.ts"

/** Whether browsers elsewhere can reach the bot by its address, and whether the running bot answers there. */
export const address = Effect.fn("AddressCheck.address")(function* (
  base: string,
  isPublicUrl: boolean,
  isRunning: boolean
): Effect.fn.Return<Finding> {
  const { hostname, protocol } = new URL(base)
  const isLoopback = ["127.0.0.1", "localhost", "[::1]"].includes(hostname)
  const fix = "Give HEDDLE_PUBLIC_URL the https address under which people's browsers reach the bot."
  if (isRunning && !(yield* responds(base))) {
    return failed("HEDDLE_PUBLIC_URL", `the running bot does not answer at ${base}`, fix)
  }
  if (isLoopback) return note("HEDDLE_PUBLIC_URL", `only browsers on this machine reach ${base}`, fix)
  if (protocol !== "https:") return note("HEDDLE_PUBLIC_URL", `what browsers send to ${base} is not encrypted`, fix)
  return ok("HEDDLE_PUBLIC_URL", `${base}${isPublicUrl && isRunning ? " leads to the bot" : ""}`)
})

const responds = (base: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(`${base}/healthz`, { signal, redirect: "manual" })
    const body: unknown = await response.json()
    return typeof body === "object" && body !== null && "live" in body
  }).pipe(
    Effect.timeout("10 seconds"),
    Effect.catchAll(() => Effect.succeed(false))
  )
