import * as Net from "node:net"

/**
 * The IP address that a text names, in the one spelling: without port, brackets and zone, an IPv4 address in IPv6 form
 * as IPv4. Undefined when it names none.
 */
export const parse = (text: string): string | undefined => {
  const trimmed = text.trim()
  const bare = /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(trimmed)?.[1] ?? trimmed
  const address = bare.split("%", 1)[0] ?? ""
  if (Net.isIPv4(address)) return address
  if (!Net.isIPv6(address)) return undefined
  const { address: canonical } = new Net.SocketAddress({ address, family: "ipv6" })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical
}

/** The part of an address that one caller holds: an IPv6 caller has a whole /64 to choose from. */
export const network = (address: string): string => {
  const parsed = parse(address)
  if (parsed === undefined || !parsed.includes(":")) return parsed ?? address
  const [head = "", tail] = parsed.split("::")
  const before = head.split(":").filter((group) => group !== "")
  const after = (tail ?? "").split(":").filter((group) => group !== "")
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0")
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`
}
