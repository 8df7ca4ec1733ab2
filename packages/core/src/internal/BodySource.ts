import * as Body from "./Body.ts"
import type { Running } from "./Request.ts"

/** A body of Node's undici, as far as reading it takes. */
interface NodeBody {
  readonly destroyed: boolean
  readonly readableEnded: boolean
  on(event: "data", listener: (piece: Uint8Array) => void): unknown
  on(event: "end" | "close" | "error", listener: () => void): unknown
  destroy(): unknown
}

/** What a response of the platform wraps: the body of a web response, `null` if it is empty, or a body of undici. */
export type BodySource = ReadableStream<Uint8Array> | NodeBody | null

/**
 * The source of a platform's response, or `undefined` for a response of another kind, which has to be read as a stream.
 * A stream costs more than the rest of a call, whatever its length.
 */
export const of = (response: object): BodySource | undefined => {
  const original = "original" in response && isObject(response.original) ? response.original : response
  const source = "source" in original && isObject(original.source) ? original.source : {}
  if (source instanceof globalThis.Response) return source.body
  return "body" in source && isNodeBody(source.body) ? source.body : undefined
}

/** Reads a body up to `limit` bytes. Stopping ends its connection. */
export const read = (source: BodySource, limit: number): Running<Body.Body> => {
  if (source !== null) return "getReader" in source ? readWeb(source, limit) : readNode(source, limit)
  return { result: Promise.resolve(Body.pieces(limit).end({ isBroken: false })), stop: () => undefined }
}

const readWeb = (stream: ReadableStream<Uint8Array>, limit: number): Running<Body.Body> => {
  const reader = stream.getReader()
  const pieces = Body.pieces(limit)
  // The connection may have broken already; then there is nothing to end.
  const stop = () => void reader.cancel().catch(() => undefined)
  const readAll = async () => {
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return pieces.end({ isBroken: false })
        if (pieces.add(value)) continue
        stop()
        return pieces.end({ isBroken: false })
      }
    } catch {
      // Why the connection broke does not matter to the caller.
      return pieces.end({ isBroken: true })
    }
  }
  return { result: readAll(), stop }
}

const readNode = (body: NodeBody, limit: number): Running<Body.Body> => {
  const pieces = Body.pieces(limit)
  const stop = () => void body.destroy()
  const result = new Promise<Body.Body>((resolve) => {
    let isOpen = true
    const finish = (isBroken: boolean) => {
      if (!isOpen) return
      isOpen = false
      resolve(pieces.end({ isBroken }))
    }
    // One that broke before this moment tells nobody any more.
    if (body.destroyed) finish(!body.readableEnded)
    body.on("end", () => finish(false))
    body.on("error", () => finish(true))
    body.on("close", () => finish(true))
    body.on("data", (piece) => {
      if (!isOpen || pieces.add(piece)) return
      finish(false)
      stop()
    })
  })
  return { result, stop }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isNodeBody = (value: unknown): value is NodeBody => isObject(value) && "on" in value && "destroyed" in value
