import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import Undici from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import Dns from "node:dns"
import * as Net from "node:net"

/**
 * The client for an agent's files on other servers than the sandbox. An agent names such a server, so it must not lead a
 * bot into its own private network, unless the service is in one, too.
 */
export const otherServers = (sandbox: string): Effect.Effect<HttpClient.HttpClient | undefined> =>
  Effect.map(isPrivate(sandbox), (isSandboxPrivate) => (isSandboxPrivate ? undefined : publicClient))

/** Whether a service's name or address leads to a private address; one that is not found leads nowhere. */
const isPrivate = (host: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => Dns.promises.lookup(host.replace(/^\[|\]$/g, ""), { all: true })).pipe(
    Effect.map((found) => found.some(isPrivateAddress)),
    Effect.orElseSucceed(() => false)
  )

const isPrivateAddress = ({ address, family }: Dns.LookupAddress): boolean =>
  privateAddresses.check(address, family === 6 ? "ipv6" : "ipv4")

/** A name leads to a private address. */
class PrivateAddress extends Error {}

/** Gives a connection the addresses that were checked: a second look-up of the name might find others. */
const lookupPublic: Net.LookupFunction = (host, options, callback) =>
  Dns.lookup(host, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, [])
    if (found.some(isPrivateAddress)) return callback(new PrivateAddress(`${host} is in a private network`), [])
    const [first] = found
    return options.all === true ? callback(null, found) : callback(null, first?.address ?? "", first?.family)
  })

/** Connects to public addresses only. Names alone come here: no file is fetched from a server named by its address. */
const publicClient = HttpClient.transformResponse(
  NodeHttpClient.makeUndici(new Undici.Agent({ connect: { lookup: lookupPublic } })),
  Effect.mapError((error) =>
    error._tag === "RequestError" && error.cause instanceof PrivateAddress
      ? new HttpClientError.RequestError({ request: error.request, reason: "InvalidUrl", cause: error.cause })
      : error
  )
)

/** Addresses that are not reachable from everywhere (RFC 6890); mapped and translated IPv4 addresses count as IPv4. */
const privateAddresses = new Net.BlockList()
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3]
] as const) {
  privateAddresses.addSubnet(network, prefix, "ipv4")
  // The same address behind a translator (NAT64, RFC 6052).
  privateAddresses.addSubnet(`64:ff9b::${network}`, 96 + prefix, "ipv6")
}
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8]
] as const)
  privateAddresses.addSubnet(network, prefix, "ipv6")
