import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { ConnectionLost, InvalidAnswer, type TransportError, UnsupportedVersion } from "../AcpError.ts"
import type { Connection } from "../Connection.ts"
import * as JsonRpc from "../JsonRpc.ts"
import * as Wire from "../schema/generated/AcpSchema.ts"

/** The only protocol version spoken. */
export const protocolVersion = 1

/** Reads the result of a call; a malformed one names the places, never the values. */
export const read = <A, I>(method: string, schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "preserve" })
  return (result: unknown): Effect.Effect<A, InvalidAnswer> =>
    Either.match(decode(result ?? {}), {
      onRight: Effect.succeed,
      onLeft: (error) => {
        const places = ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join(".") || "(all)")
        return Effect.fail(new InvalidAnswer({ method, description: places.join(", ") }))
      }
    })
}

/**
 * Introduces this client; file and terminal access are not offered.
 *
 * A service may start its agent first and says itself when that fails, so it is waited for longer than such a start takes.
 */
export const initialize = (connection: Connection, clientInfo: Wire.Implementation | undefined) =>
  connection
    .request("initialize", {
      protocolVersion,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      ...(clientInfo === undefined ? {} : { clientInfo })
    })
    .pipe(
      inTime("initialize", "90 seconds"),
      Effect.flatMap(readInitialize),
      Effect.filterOrFail(
        (answer) => answer.protocolVersion === protocolVersion,
        (answer) => new UnsupportedVersion({ offered: protocolVersion, answered: answer.protocolVersion })
      )
    )

/** How a session is taken up. */
export interface Taking {
  readonly sessionId: string
  readonly cwd: string
  /** Runs when the request goes out: everything the session says until `end` is its replay. */
  readonly begin: () => void
  /** Runs in channel order with the answer. */
  readonly end: (replayed: boolean) => void
}

/**
 * Takes up a session: by `session/load` where offered, else by `session/resume`.
 *
 * A load is preferred although it costs a replay: it alone tells what was said while nobody was connected.
 */
export const take = (
  connection: Connection,
  capabilities: Wire.AgentCapabilities | undefined,
  { sessionId, cwd, begin, end }: Taking
): Effect.Effect<Wire.LoadSessionResponse, JsonRpc.RpcError | TransportError | InvalidAnswer> => {
  const resumes = capabilities?.loadSession !== true && isObject(capabilities?.sessionCapabilities?.resume)
  const method = resumes ? "session/resume" : "session/load"
  return Effect.suspend(() => {
    begin()
    return connection.request(
      method,
      { sessionId, cwd, mcpServers: [] },
      { onReply: (reply) => end(!resumes && !JsonRpc.isFailure(reply)) }
    )
  }).pipe(inTime(method, "120 seconds"), Effect.flatMap(read(method, Wire.LoadSessionResponse)))
}

const readInitialize = read("initialize", Wire.InitializeResponse)

const inTime = (method: string, duration: "90 seconds" | "120 seconds") =>
  Effect.timeoutFail({
    duration,
    onTimeout: () => new ConnectionLost({ description: `The agent does not answer ${method}`, sent: true })
  })

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null
