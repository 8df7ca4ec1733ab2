import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Ticket from "@heddle/acp/Ticket"
import * as Artifacts from "@heddle/artifacts/Artifacts"
import * as Preview from "@heddle/bot/turn/session/files/Preview"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import Dns from "node:dns"
import { syncBuiltinESMExports } from "node:module"
import * as Net from "node:net"

// A service on the internet, and one in the network of the bot.
const [elsewhere, here] = ["93.184.215.14", "192.168.1.2"]

/** Answers look-ups of names by turns, the last answer also afterwards; addresses stay what they are. */
const resolveTo = (...answers: ReadonlyArray<string | undefined>) => {
  const asked: Array<string> = []
  const next = (host: string) => {
    const address = Net.isIP(host) === 0 ? answers[Math.min(asked.push(host), answers.length) - 1] : host
    if (address === undefined) throw Object.assign(new Error(`no address of ${host}`), { code: "ENOTFOUND" })
    return [{ address, family: Net.isIP(address) }]
  }
  const lookup: Net.LookupFunction = (host, _, callback) => {
    try {
      callback(null, next(host))
    } catch (error) {
      callback(error as NodeJS.ErrnoException, [])
    }
  }
  vi.spyOn(Dns, "lookup").mockImplementation(lookup as never)
  vi.spyOn(Dns.promises, "lookup").mockImplementation((async (host: string) => next(host)) as never)
  syncBuiltinESMExports()
  return asked
}

afterEach(() => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

/** A server on this machine that counts its connections, and closes them. */
const localServer = Effect.acquireRelease(
  Effect.async<{ readonly port: number; readonly count: () => number; readonly close: () => void }>((resume) => {
    let count = 0
    const server = Net.createServer((socket) => void (count++, socket.destroy()))
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as Net.AddressInfo
      resume(Effect.succeed({ port, count: () => count, close: () => void server.close() }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

/** How the file of a task at a service ends that names a server by this port. */
const fetchFrom = (port: number, sandbox: string) =>
  Effect.gen(function* () {
    const ticket = yield* Ticket.make(
      Effect.succeed({ link: `https://${sandbox}/box/acp`, token: Redacted.make("token") })
    )
    const artifacts = yield* Effect.provideService(Artifacts.make, Ticket.Ticket, ticket)
    const url = `https://files.example:${port}/a.png`
    const entry = { artifact: { type: "media", uri: "file:///a.png" }, deleted: false, url } as const
    // Retries of an unavailable server go on for minutes.
    return yield* Preview.download(artifacts, entry as never, 100).pipe(
      Effect.flip,
      Effect.map(({ _tag }): string => _tag),
      Effect.timeoutTo({ duration: "3 seconds", onSuccess: (tag) => tag, onTimeout: () => "none yet" })
    )
  }).pipe(Effect.provide(NodeHttpClient.layerUndici))

describe("the servers that files of agents name", () => {
  for (const address of [
    "127.0.0.1",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.255.255",
    "192.168.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:10.0.0.1",
    "64:ff9b::a00:1",
    "2002:a00:1::",
    "fd00::1",
    "fe80::1"
  ])
    it.scopedLive(`are not asked at ${address} for a service elsewhere`, () =>
      Effect.gen(function* () {
        const server = yield* localServer
        resolveTo(address)
        assert.strictEqual(yield* fetchFrom(server.port, elsewhere), "NotDownloadable")
        assert.strictEqual(server.count(), 0)
      })
    )

  it.scopedLive("are asked in the network of a service in the bot's own", () =>
    Effect.gen(function* () {
      const server = yield* localServer
      resolveTo("127.0.0.1")
      yield* fetchFrom(server.port, here)
      assert.isAbove(server.count(), 0)
    })
  )

  it.scopedLive("are not asked at a private address that a name gets only after a failed look-up", () =>
    Effect.gen(function* () {
      const server = yield* localServer
      const asked = resolveTo(undefined, "127.0.0.1")
      assert.strictEqual(yield* fetchFrom(server.port, elsewhere), "NotDownloadable")
      assert.strictEqual(server.count(), 0)
      assert.deepStrictEqual(asked, ["files.example", "files.example"])
    })
  )
})
