import * as AcpSession from "@heddle/acp/AcpSession"
import * as UndiciExchange from "@heddle/acp/node/UndiciExchange"
import * as Ticket from "@heddle/acp/Ticket"
import type { PlainService } from "@heddle/plain-service"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

/** Another client of the same account writes to the first task, if the service takes that within three seconds. */
export const writeAsAnother = async (service: PlainService, text: string): Promise<void> => {
  const sessionId = service.tasks()[0]?.taskId
  if (sessionId === undefined) return
  await Effect.gen(function* () {
    const { link, token } = yield* Effect.tryPromise(() => readTask(service, sessionId))
    if (link === undefined || token === undefined) return
    const ticket = yield* Ticket.make(Effect.succeed({ link, token: Redacted.make(token) }))
    const session = yield* AcpSession.open({ exchange: UndiciExchange.make(), sessionId, ticket })
    yield* session.prompt([{ type: "text", text }])
  }).pipe(
    Effect.scoped,
    Effect.timeout("3 seconds"),
    // It may come at any moment, also while the service is broken or the agent is at work.
    Effect.ignore,
    Effect.runPromise
  )
}

const readTask = async (service: PlainService, id: string) => {
  const headers = { authorization: `Bearer ${service.grant().access_token}` }
  const response = await fetch(`${service.url}/openapi/v2/tasks/${id}`, { headers })
  return (await response.json()) as { readonly link?: string; readonly token?: string }
}
