import * as Net from "node:net"

/**
 * Parses an IP address into its canonical form: without port, brackets and zone, and IPv4 instead of an IPv4-mapped
 * IPv6 address. Undefined for other texts.
 */
export const parse = (text: string): string | undefined => {
  if (Net.isIPv4(text)) return text
  const trimmed = text.trim()
  const withoutPort =
    /^\[([^[\]]*)\](?::\d{1,5})?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(trimmed)?.[1] ?? trimmed
  const address = withoutPort.split("%", 1)[0] ?? ""
  if (Net.isIPv4(address)) return address
  if (!Net.isIPv6(address)) return undefined
  const { address: canonical } = new Net.SocketAddress({ address, family: "ipv6" })
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical
}

/** The network of one caller: an IPv6 caller usually has a whole /64. */
export const network = (address: string): string => {
  const parsed = parse(address)
  if (parsed === undefined || !parsed.includes(":")) return parsed ?? address
  const [start = "", end] = parsed.split("::")
  const before = start.split(":").filter((group) => group !== "")
  const after = (end ?? "").split(":").filter((group) => group !== "")
  const zeros = end === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0")
  return `${[...before, ...zeros, ...after].slice(0, 4).join(":")}::/64`
}
