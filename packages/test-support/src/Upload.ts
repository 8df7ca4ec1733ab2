import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { setTimeout as wait } from "node:timers/promises"

/** When a client writes its body: all before it reads, or in pieces while it reads. */
export type Pace = "at once" | "slowly"

/**
 * Sends a head and a body of this many bytes to a loopback port; returns all that came back. Rejects where the
 * connection broke, as after a reset.
 */
export const upload = (port: number, head: ReadonlyArray<string>, bytes: number, pace: Pace): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    let answer = ""
    const read = () => socket.on("data", (chunk: Buffer) => (answer += chunk.toString("latin1")))
    socket.once("error", reject)
    socket.once("end", () => resolve(answer))
    socket.once("close", () => reject(new Error("the connection closed without an end")))
    if (pace === "slowly") read()
    void write(socket, head, bytes, pace).then(read, reject)
  })

const write = async (socket: Socket, head: ReadonlyArray<string>, bytes: number, pace: Pace): Promise<void> => {
  await once(socket, "connect")
  const lines = [...head, `Host: 127.0.0.1:${socket.remotePort}`, "Connection: close", `Content-Length: ${bytes}`]
  socket.write(`${lines.join("\r\n")}\r\n\r\n`)
  for (let sent = 0; sent < bytes; sent += pieceBytes) {
    if (!socket.write(Buffer.alloc(Math.min(pieceBytes, bytes - sent), " "))) await once(socket, "drain")
    if (pace === "slowly") await wait(1)
  }
  socket.end()
}

const pieceBytes = 64 * 1024
