import type { Context } from "../context/Context.ts"
import { resetToken } from "../state/Seed.ts"
import type { JsonObject } from "../validate/Form.ts"
import { CloseCode, closeReason, Op } from "./Codes.ts"
import { guildCreate } from "./Dispatches.ts"
import type { GuildOutage } from "./GuildOutage.ts"
import { readIdentify, tokenOf } from "./Identify.ts"
import { renderReady } from "./Ready.ts"
import type { Session } from "./Session.ts"
import { handlesGuild } from "./SessionFilter.ts"
import type { Sessions } from "./Sessions.ts"
import type { Transport } from "./Transport.ts"

/** What IDENTIFY and RESUME depend on. */
export interface AuthenticationContext {
  readonly context: Context
  readonly sessions: Sessions
  readonly outage: GuildOutage
  /** All open connections. */
  readonly transports: ReadonlySet<Transport>
}

/** Starts a session on a connection; closes the connection or sends op 9 when the IDENTIFY is refused. */
export const identify = (
  authentication: AuthenticationContext,
  transport: Transport,
  data: JsonObject
): Session | undefined => {
  const { context, outage, sessions } = authentication
  const { settings, sessionStarts, store } = context
  const identity = readIdentify(data, { botToken: store.guild.botToken, settings })
  if ("closeCode" in identity) return closeWith(transport, identity.closeCode)
  const start = sessionStarts.take(identity.shard[0])
  if (start === "too soon") return void transport.send(invalidSession(false))
  if (start === "used up") return resetUsedUpToken(authentication)
  const session = sessions.create(identity)
  session.transport = transport
  transport.compress = identity.compress
  const { guildId } = store.guild
  session.send(
    "READY",
    renderReady(context, session.record, data["shard"] !== undefined, handlesGuild(session.record, guildId))
  )
  if (!outage.isActive) session.dispatch([guildCreate(context, session.record)], guildId)
  sessions.add(session)
  sessions.publishPresence()
  return session
}

/** Continues a session on a connection; closes the connection or sends op 9 when the RESUME is refused. */
export const resume = (
  { context, sessions }: AuthenticationContext,
  transport: Transport,
  data: JsonObject
): Session | undefined => {
  const session = sessions.get(String(data["session_id"]))
  const sequence = Number(data["seq"])
  if (tokenOf(data) !== context.store.guild.botToken) return closeWith(transport, CloseCode.authenticationFailed)
  if (session !== undefined && !(sequence <= session.sequence)) return closeWith(transport, CloseCode.invalidSequence)
  if (session === undefined || !session.canReplay(sequence)) return void transport.send(invalidSession(false))
  // The server may not know yet that the earlier connection is dead.
  session.transport?.terminate()
  session.transport = transport
  transport.compress = session.record.compress
  session.replay(sequence)
  sessions.publishPresence()
  return session
}

/** The Invalid Session frame (op 9); `resumable` lets the client resume. */
export const invalidSession = (resumable: boolean): string => JSON.stringify({ op: Op.invalidSession, d: resumable })

const closeWith = (transport: Transport, code: number): undefined => void transport.close(code, closeReason[code] ?? "")

/** Discord resets the token of a bot that identified too often within a day. */
const resetUsedUpToken = ({ context, sessions, transports }: AuthenticationContext): undefined => {
  sessions.endAll()
  for (const transport of transports) transport.close(CloseCode.notAuthenticated, "This session was invalidated.")
  resetToken(context.store)
  context.settings.log(
    "discord-emulator: the bot connected too often within a day; its token is reset, as Discord does"
  )
  return undefined
}
