import * as ServiceMessage from "@heddle/core/ServiceMessage"
import * as Effect from "effect/Effect"
import { ChannelRefused } from "../../AcpError.ts"
import type { Body } from "../../HttpExchange.ts"
import type { TicketValue } from "../../Ticket.ts"
import * as Http from "./Http.ts"

/** The transports over HTTP, by what they open a connection with: an event stream, or `initialize`. */
export type Dialect = "SseTransport" | "StreamableHttpTransport"

/** What a server refuses. */
export interface Refused {
  readonly status: number
  readonly body: string
  readonly ticket: TicketValue
  /** The dialect of the request, if it opens a connection. */
  readonly opens?: Dialect | undefined
}

/** The server refuses for good: its status, its words, and the transport to try instead. */
export const make = ({ body, opens, status, ticket }: Refused): ChannelRefused => {
  const words = ServiceMessage.read(body.slice(0, maxBody), 160, [ticket.token])?.replace(/[.\s]+$/, "")
  const hint = opens !== undefined && otherDialect[opens].statuses.has(status) ? [otherDialect[opens].hint] : []
  const description = `The channel's server refuses with status ${status}`
  return new ChannelRefused({
    status,
    description: [words === undefined ? description : `${description}: ${words}`, ...hint].join(". ")
  })
}

/** The text of a refusal: at most its beginning, for at most two seconds. */
export const readBody = (body: Body): Effect.Effect<string> =>
  Http.readText(body, maxBody, "2 seconds").pipe(
    Effect.timeout("2 seconds"),
    Effect.match({ onFailure: () => "", onSuccess: ({ text }) => text })
  )

/** The characters of a refusal that are read. */
const maxBody = 16 * 1024

/** How each dialect's opening request is refused by a server of the other one. */
const otherDialect = {
  SseTransport: {
    statuses: new Set([400, 405, 406, 415]),
    hint: "The server may speak streamable HTTP: use StreamableHttpTransport"
  },
  StreamableHttpTransport: {
    statuses: new Set([400, 404, 405, 409]),
    hint: "The server may want the event stream first: use SseTransport"
  }
}
