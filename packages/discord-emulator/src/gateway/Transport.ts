import type { Duplex } from "node:stream"
import { constants, createDeflate, deflateSync } from "node:zlib"
import type { WebSocket } from "ws"

/** How frames get to one client. */
export interface Transport {
  /** Sends a frame; `large` ones may be compressed one by one where the client takes that. */
  readonly send: (text: string) => void
  /** Closes once everything sent before is out. */
  readonly close: (code: number, reason: string) => void
  readonly terminate: () => void
  /** From now on nothing goes out, as on a connection that died without anybody noticing. */
  readonly silence: () => void
  readonly silent: () => boolean
  /** The client asked at IDENTIFY for compressed payloads. */
  compress: boolean
}

/** A client that is so many bytes behind is cut off, as Discord does; it may resume. */
const maxBufferedBytes = 64 * 1024 * 1024

/** Smaller payloads gain nothing from compression. */
const minCompressedLength = 1024

/** Frames as text, or compressed one by one once `compress` is set; `below` is the socket that carries them. */
export const plainTransport = (socket: WebSocket, below: Duplex): Transport => {
  let gathering = false
  const release = (): void => {
    gathering = false
    below.uncork()
  }
  const transport = makeTransport(socket, {
    send: (text) => {
      // Writing to the network costs more than all else: what happens at once goes out in one piece.
      if (!gathering) {
        gathering = true
        below.cork()
        process.nextTick(release)
      }
      socket.send(transport.compress && text.length >= minCompressedLength ? deflateSync(text) : text)
    },
    close: (code, reason) => socket.close(code, reason)
  })
  return transport
}

/** Frames through one zlib context for the whole connection, each flushed by itself. */
export const zlibStreamTransport = (socket: WebSocket): Transport => {
  const deflate = createDeflate()
  let compressed: Array<Buffer> = []
  deflate.on("data", (chunk: Buffer) => compressed.push(chunk))
  socket.on("close", () => deflate.close())
  let queue = Promise.resolve()
  const flushed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        // Nothing more comes out for a client that is gone.
        if (socket.readyState !== socket.OPEN || deflate.destroyed) return resolve()
        const bytes = Buffer.concat(compressed)
        // The flush may be done before the stream has handed its last piece out.
        if (!endsWithFlush(bytes)) return void setImmediate(finish)
        compressed = []
        socket.send(bytes)
        resolve()
      }
      deflate.write(text)
      deflate.flush(constants.Z_SYNC_FLUSH, finish)
    })
  return makeTransport(socket, {
    send: (text) => {
      queue = queue.then(() => (socket.readyState === socket.OPEN ? flushed(text) : undefined))
    },
    close: (code, reason) => {
      queue = queue.then(() => socket.close(code, reason))
    }
  })
}

const makeTransport = (socket: WebSocket, way: Pick<Transport, "send" | "close">): Transport => {
  let silent = false
  return {
    send: (text) => {
      if (silent) return
      if (socket.bufferedAmount > maxBufferedBytes) socket.terminate()
      else way.send(text)
    },
    close: (code, reason) => {
      if (!silent) way.close(code, reason)
    },
    terminate: () => socket.terminate(),
    silence: () => {
      silent = true
    },
    silent: () => silent,
    compress: false
  }
}

const endsWithFlush = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32BE(bytes.length - 4) === 0xffff
