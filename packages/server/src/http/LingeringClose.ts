import type * as Http from "node:http"

/**
 * Reads on after a response that comes before the end of its request's body, for `lingerMs` at most; 30 seconds as in
 * nginx. Otherwise the operating system resets a connection that closes with unread bytes, and the client loses the
 * response.
 */
export const install = (server: Http.Server, lingerMs = 30_000): void => {
  const listener: Http.RequestListener = (request, response) => {
    // First of all listeners: Node's own one closes the connection where it is not kept alive.
    response.prependOnceListener("finish", () => {
      if (!request.complete) linger(request, lingerMs)
    })
  }
  server.on("request", listener)
  server.on("checkExpectation", listener)
}

const linger = (request: Http.IncomingMessage, lingerMs: number): void => {
  const { socket } = request
  const { destroySoon } = socket
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  // Node calls this to close the connection.
  socket.destroySoon = () => void socket.end()
  request.once("close", () => {
    clearTimeout(timer)
    socket.destroySoon = destroySoon
    if (socket.writableEnded) socket.destroySoon()
  })
  request.resume()
}
