import type { Duplex } from "node:stream"
import { constants, createDeflate, deflateSync } from "node:zlib"
import type { WebSocket } from "ws"

/** The connection to one client. */
export interface Transport {
  /** Sends a frame. */
  readonly send: (text: string) => void
  /** Closes after all earlier frames are sent. */
  readonly close: (code: number, reason: string) => void
  readonly terminate: () => void
  /** Stops sending without closing, as on a dead connection. */
  readonly silence: () => void
  readonly isSilent: () => boolean
  /** Whether the client requested compressed payloads in its IDENTIFY. */
  compress: boolean
}

/** A client this far behind is disconnected, as Discord does, in bytes. It may resume. */
const maxBufferedBytes = 64 * 1024 * 1024

/** Smaller payloads are not compressed, in characters. */
const minCompressedLength = 1024

/** Sends frames as text, or compressed each on its own when `compress` is set. */
export const plainTransport = (socket: WebSocket, tcpSocket: Duplex): Transport => {
  let isCorked = false
  const uncork = (): void => {
    isCorked = false
    tcpSocket.uncork()
  }
  const transport = makeTransport(socket, {
    send: (text) => {
      // Network writes are expensive: frames of the same tick go out together.
      if (!isCorked) {
        isCorked = true
        tcpSocket.cork()
        process.nextTick(uncork)
      }
      socket.send(transport.compress && text.length >= minCompressedLength ? deflateSync(text) : text)
    },
    close: (code, reason) => socket.close(code, reason)
  })
  return transport
}

/** Sends frames through one zlib stream for the whole connection, and flushes each. */
export const zlibStreamTransport = (socket: WebSocket): Transport => {
  const deflate = createDeflate()
  let compressed: Array<Buffer> = []
  deflate.on("data", (chunk: Buffer) => compressed.push(chunk))
  socket.on("close", () => deflate.close())
  let queue = Promise.resolve()
  const sendFlushed = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        // A closed connection produces no more output.
        if (socket.readyState !== socket.OPEN || deflate.destroyed) return resolve()
        const bytes = Buffer.concat(compressed)
        // The flush can finish before the stream emits its last chunk.
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
      queue = queue.then(() => (socket.readyState === socket.OPEN ? sendFlushed(text) : undefined))
    },
    close: (code, reason) => {
      queue = queue.then(() => socket.close(code, reason))
    }
  })
}

const makeTransport = (socket: WebSocket, channel: Pick<Transport, "send" | "close">): Transport => {
  let silent = false
  return {
    send: (text) => {
      if (silent) return
      if (socket.bufferedAmount > maxBufferedBytes) socket.terminate()
      else channel.send(text)
    },
    close: (code, reason) => {
      if (!silent) channel.close(code, reason)
    },
    terminate: () => socket.terminate(),
    silence: () => {
      silent = true
    },
    isSilent: () => silent,
    compress: false
  }
}

const endsWithFlush = (bytes: Buffer): boolean => bytes.length >= 4 && bytes.readUInt32BE(bytes.length - 4) === 0xffff
