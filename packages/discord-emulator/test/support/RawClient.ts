import { StringDecoder } from "node:string_decoder"
import { constants, createInflate, inflateSync } from "node:zlib"
import { GatewayIntentBits } from "discord.js"
import { WebSocket } from "ws"

/** A frame of the gateway. */
export interface Frame {
  readonly op: number
  readonly t?: string
  readonly s?: number
  readonly d?: Record<string, unknown>
}

/** Where a client connects and as whom. */
export interface Address {
  readonly api: string
  readonly botToken: string
}

/** A client without any library: what it received, and a wait for the next that fits. */
export interface RawClient {
  readonly socket: WebSocket
  readonly frames: ReadonlyArray<Frame>
  /** How many frames came compressed. */
  readonly compressed: () => number
  readonly send: (frame: unknown) => void
  readonly event: (name: string) => Promise<Frame>
  readonly op: (op: number) => Promise<Frame>
  readonly until: <A>(find: () => A | undefined) => Promise<A>
  /** The code and reason of the close. */
  readonly closed: () => Promise<number>
  readonly reason: () => string
}

/** Connects with the query given after `v=10`. */
export const connect = (emulator: Pick<Address, "api">, query = "&encoding=json"): RawClient => {
  const socket = new WebSocket(`${emulator.api.replace("http", "ws").replace("/api", "")}/?v=10${query}`)
  const frames: Array<Frame> = []
  const looks = new Set<() => void>()
  const look = (): void => {
    for (const one of looks) one()
  }
  let closed: number | undefined
  let reason = ""
  let compressed = 0
  const take = (text: string): void => {
    frames.push(JSON.parse(text) as Frame)
    look()
  }
  const inflate = query.includes("zlib-stream") ? createInflate({ flush: constants.Z_SYNC_FLUSH }) : undefined
  const decoder = new StringDecoder("utf8")
  let text = ""
  inflate?.on("data", (chunk: Buffer) => {
    text += decoder.write(chunk)
    try {
      JSON.parse(text)
    } catch {
      return // The rest of the frame is still to come.
    }
    take(text)
    text = ""
  })
  socket.on("message", (data: Buffer, binary: boolean) => {
    if (binary) compressed++
    if (inflate !== undefined) inflate.write(data)
    else take(binary ? inflateSync(data).toString("utf8") : data.toString("utf8"))
  })
  socket.on("error", () => undefined)
  socket.on("close", (code, why) => {
    closed = code
    reason = why.toString("utf8")
    look()
  })
  const until = <A>(find: () => A | undefined): Promise<A> =>
    new Promise((resolve) => {
      const one = (): void => {
        const found = find()
        if (found === undefined) return
        looks.delete(one)
        resolve(found)
      }
      looks.add(one)
      one()
    })
  return {
    socket,
    frames,
    compressed: () => compressed,
    send: (frame) => socket.send(typeof frame === "string" ? frame : JSON.stringify(frame)),
    event: (name) => until(() => frames.find((frame) => frame.t === name)),
    op: (op) => until(() => frames.find((frame) => frame.op === op)),
    until,
    closed: () => until(() => closed),
    reason: () => reason
  }
}

export const identify = (emulator: Pick<Address, "botToken">, intents: number, extra: object = {}): object => ({
  op: 2,
  d: { token: emulator.botToken, intents, properties: {}, ...extra }
})

export const resume = (emulator: Pick<Address, "botToken">, session: unknown, sequence: number): object => ({
  op: 6,
  d: { token: emulator.botToken, session_id: session, seq: sequence }
})

/** Guilds, their messages and what is in them. */
export const messageIntents =
  GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.MessageContent

/** Connects, identifies and waits until the guild is there. */
export const ready = async (
  emulator: Address,
  intents: number = messageIntents,
  extra: object = {},
  query?: string
): Promise<RawClient> => {
  const raw = connect(emulator, query)
  await raw.op(10)
  raw.send(identify(emulator, intents, extra))
  await raw.event((intents & GatewayIntentBits.Guilds) === 0 ? "READY" : "GUILD_CREATE")
  return raw
}

/** Connects and resumes a session; returns the events until the caller says that these were all. */
export const resumed = async (emulator: Address, session: unknown, sequence: number): Promise<RawClient> => {
  const raw = connect(emulator)
  await raw.op(10)
  raw.send(resume(emulator, session, sequence))
  await raw.until(() => raw.frames.find(({ op, t }) => t === "RESUMED" || op === 9))
  return raw
}

/** The contents of the messages among the frames. */
export const contents = ({ frames }: Pick<RawClient, "frames">): ReadonlyArray<unknown> =>
  frames.filter(({ t }) => t === "MESSAGE_CREATE").map(({ d }) => d?.["content"])

/** The session of a client and the number of what it got last. */
export const sessionOf = ({ frames }: Pick<RawClient, "frames">): { id: unknown; sequence: number } => ({
  id: frames.find(({ t }) => t === "READY")?.d?.["session_id"],
  sequence: frames.reduce((last, { s }) => s ?? last, 0)
})
