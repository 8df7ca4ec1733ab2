import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Client, Loose } from "./client.ts"
import type { Task } from "./service.ts"

/** The client's ticket and artifacts of a task, by the way to the service that begins with `url`. */
export const artifactsOf = (task: Task, url: string) =>
  Effect.gen(function* () {
    const link = url + task.link.slice(new URL(task.link).origin.length)
    const ticket = yield* Ticket.make(Effect.succeed({ link, token: Redacted.make(task.token) }))
    return { ticket, artifacts: yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket) }
  }).pipe(Effect.provide(FetchHttpClient.layer))

/** The artifacts that a client was told of: what happened to each, and its state then. */
export const pushes = (client: Client): ReadonlyArray<Loose> =>
  client.messages.filter(({ method }) => method === "_vendor.ai/artifact").map(({ params }) => params)

/** The list of a task's artifacts. */
export const list = async (task: Task, query = "") => {
  const headers = { authorization: `Bearer ${task.token}` }
  const response = await fetch(`${task.sandboxUrl}/api/session/artifacts${query}`, { headers })
  return ((await response.json()) as Loose).data
}

/** The line of a prompt that makes the scripted agent send an update. */
export const update = (fields: object) => `update ${JSON.stringify(fields)}`
