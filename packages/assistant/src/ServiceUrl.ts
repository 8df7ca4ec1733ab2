import * as Effect from "effect/Effect"
import { AssistantError } from "./AssistantError.ts"

/** Checks the service's URL and removes a trailing slash. It must be https or this machine, because of the credential. */
export const check = (text: string): Effect.Effect<string, AssistantError> => {
  if (!URL.canParse(text)) return invalidUrl(`${JSON.stringify(text)} is no URL`)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    return invalidUrl(`${JSON.stringify(text)} is no https address`)
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return invalidUrl("the credential would travel readably over http")
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    return invalidUrl("it has more than an address and a path")
  }
  return Effect.succeed(url.href.replace(/\/+$/, ""))
}

const invalidUrl = (problem: string) =>
  Effect.fail(
    new AssistantError({
      setting: "--service",
      problem,
      fix: "Give an address like https://tasks.example.com; http works for this machine only."
    })
  )

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)
