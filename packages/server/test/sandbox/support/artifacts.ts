import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Task } from "./service.ts"

/** The client's ticket and artifacts of a task, by the way to the service that begins with `url`. */
export const artifactsOf = (task: Task, url: string) =>
  Effect.gen(function* () {
    const link = url + task.link.slice(new URL(task.link).origin.length)
    const ticket = yield* Ticket.make(Effect.succeed({ link, token: Redacted.make(task.token) }))
    return { ticket, artifacts: yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket) }
  }).pipe(Effect.provide(FetchHttpClient.layer))
