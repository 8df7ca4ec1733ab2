import type { TicketError } from "@heddle/acp/AcpError"
import type * as Ticket from "@heddle/acp/Ticket"
import * as Effect from "effect/Effect"
import { TokenRefused } from "../ArtifactsApi.ts"
import { Unauthorized } from "../ArtifactsError.ts"

/** Runs an effect with the ticket, and once more with a renewed ticket when the server refuses the token. */
export type WithTicket = <A, E, R>(
  use: (value: Ticket.TicketValue) => Effect.Effect<A, E | TokenRefused, R>
) => Effect.Effect<A, Exclude<E, TokenRefused> | TicketError | Unauthorized, R>

/** Makes a {@link WithTicket} for the ticket of a task. */
export const make =
  (ticket: Ticket.Ticket["Type"]): WithTicket =>
  <A, E, R>(use: (value: Ticket.TicketValue) => Effect.Effect<A, E | TokenRefused, R>) =>
    ticket.current.pipe(
      Effect.flatMap((value) =>
        use(value).pipe(Effect.catchIf(isTokenRefused, () => Effect.flatMap(ticket.renew(value), use)))
      ),
      Effect.catchIf(isTokenRefused, () => Effect.fail(new Unauthorized({ status: 401 })))
    ) as Effect.Effect<A, Exclude<E, TokenRefused> | TicketError | Unauthorized, R>

const isTokenRefused = (error: unknown): error is TokenRefused => error instanceof TokenRefused
