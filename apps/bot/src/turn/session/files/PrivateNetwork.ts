import type * as Download from "@heddle/artifacts/Download"
import * as Effect from "effect/Effect"
import * as Dns from "node:dns/promises"
import * as Net from "node:net"

/**
 * Whether the bot may ask a server for a file. An agent names that server, so it must not lead a bot into its own private
 * network, unless the service is in one, too.
 */
export const mayAsk = ({ file, sandbox }: Download.Hosts): Effect.Effect<boolean> =>
  Effect.zipWith(
    isPrivate(file),
    isPrivate(sandbox),
    (isFilePrivate, isSandboxPrivate) => !isFilePrivate || isSandboxPrivate,
    {
      concurrent: true
    }
  )

/** Whether a name or an address leads to a private address; one that is not found leads nowhere. */
export const isPrivate = (host: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => Dns.lookup(host.replace(/^\[|\]$/g, ""), { all: true })).pipe(
    Effect.map((found) =>
      found.some(({ address, family }) => privateAddresses.check(address, family === 6 ? "ipv6" : "ipv4"))
    ),
    Effect.orElseSucceed(() => false)
  )

/** Addresses that are not reachable from everywhere (RFC 6890); mapped IPv4 addresses count as IPv4. */
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
] as const)
  privateAddresses.addSubnet(network, prefix, "ipv4")
for (const [network, prefix] of [
  ["::", 127],
  ["64:ff9b:1::", 48],
  ["fc00::", 7],
  ["fe80::", 10],
  ["ff00::", 8]
] as const)
  privateAddresses.addSubnet(network, prefix, "ipv6")
