import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import type { RateLimited } from "@heddle/core/OpenApiError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { InvalidTicket, Tickets } from "../../tasks/Tickets.ts"

/** A refusal of the sandbox's endpoints (contract 7.2): its status and what its body says. */
export class SandboxRefusal extends Schema.TaggedError<SandboxRefusal>()("SandboxRefusal", {
  status: Schema.Number,
  msg: Schema.String
}) {}

/** Shorthand for a refusal as a failed effect. */
export const refuse = (status: number, msg: string): Effect.Effect<never, SandboxRefusal> =>
  Effect.fail(new SandboxRefusal({ status, msg }))

/**
 * The refusal as a response: `{code: 1, msg}`; a 401 has no code but a challenge (contract 7.2, decision 108).
 */
export const toResponse = ({ status, msg }: SandboxRefusal): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.unsafeJson(status === 401 ? { msg } : { code: 1, msg }, {
    status,
    headers: {
      ...versionHeader,
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": 'Bearer realm="sandbox", error="invalid_token"' } : {})
    }
  })

/** The refusal of a caller that asks too often. */
export const rateLimited = ({ description, retryAfter }: RateLimited): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeader(
    toResponse(new SandboxRefusal({ status: 429, msg: description })),
    "retry-after",
    String(retryAfter)
  )

/** The artifact endpoint has no version in its path (contract decision 110). */
export const versionHeader = { "x-api-version": "1" }

/** Checks that the request's bearer token is a ticket of this task; returns the verified ticket. */
export const authorize = Effect.fn("SandboxResponses.authorize")(function* (taskId: string) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const tickets = yield* Tickets
  const header = request.headers["authorization"] ?? ""
  const token = /^bearer +(\S+)$/i.exec(header)?.[1]
  const ticket = yield* (
    token === undefined ? Effect.fail(new InvalidTicket()) : tickets.verify(Redacted.make(token))
  ).pipe(Effect.option)
  if (ticket._tag === "None" || ticket.value.taskId !== taskId) {
    return yield* refuse(
      401,
      "The credential is missing, expired or not for this sandbox: ask GET /tasks/{task_id} for a new one"
    )
  }
  return ticket.value
})
