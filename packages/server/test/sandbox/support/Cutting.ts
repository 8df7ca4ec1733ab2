import * as Net from "node:net"

/** A way to the service whose connections are cut. */
export interface Cutting {
  readonly url: string
  /** Cuts every connection that is open now. */
  readonly cut: () => void
  /** How many connections were cut, and how many bytes of the service went through. */
  readonly tally: { readonly cuts: number; readonly bytes: number }
  readonly close: () => void
}

/**
 * Opens one in front of the service at `target`; `limitOf` says after how many bytes a connection is cut, from how
 * many were cut before.
 */
export const open = async (
  target: string,
  limitOf: (cuts: number) => number | undefined = () => undefined
): Promise<Cutting> => {
  const tally = { cuts: 0, bytes: 0 }
  const links = new Set<() => void>()
  const server = Net.createServer((client) => {
    const limit = limitOf(tally.cuts) ?? Infinity
    const service = Net.connect(Number(new URL(target).port), "127.0.0.1")
    let through = 0
    const end = () => {
      links.delete(cut)
      client.destroy()
      service.destroy()
    }
    const cut = () => {
      if (!links.has(cut)) return
      tally.cuts += 1
      end()
    }
    links.add(cut)
    for (const socket of [client, service]) socket.on("error", end).on("close", end)
    client.pipe(service)
    service.on("data", (piece) => {
      through += piece.length
      tally.bytes += piece.length
      if (through >= limit) return void client.write(piece, cut)
      if (client.write(piece)) return
      service.pause()
      client.once("drain", () => service.resume())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    cut: () => {
      for (const cut of links) cut()
    },
    tally,
    close: () => {
      server.close()
      for (const cut of links) cut()
    }
  }
}
