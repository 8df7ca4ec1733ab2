import * as Effect from "effect/Effect"
import { AssistantError } from "./AssistantError.ts"

/** Checks the service's address and takes a trailing slash away. A credential goes to https, or to this machine. */
export const check = (text: string): Effect.Effect<string, AssistantError> => {
  if (!URL.canParse(text)) return wrong(`${JSON.stringify(text)} is no URL`)
  const url = new URL(text)
  if (url.protocol !== "https:" && url.protocol !== "http:") return wrong(`${JSON.stringify(text)} is no https address`)
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return wrong("the credential would travel readably over http")
  }
  if (url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "") {
    return wrong("it has more than an address and a path")
  }
  return Effect.succeed(url.href.replace(/\/+$/, ""))
}

const wrong = (problem: string) =>
  Effect.fail(
    new AssistantError({
      setting: "--service",
      problem,
      fix: "Give an address like https://tasks.example.com; http works for this machine only."
    })
  )

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)
