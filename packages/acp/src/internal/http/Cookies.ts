/** The cookies of one connection: they keep it on one machine of the server. */
export interface Cookies {
  /** Keeps the cookies of a response. */
  readonly keep: (set: ReadonlyArray<string>) => void
  /** The header to send; empty without cookies. */
  readonly headers: () => Readonly<Record<string, string>>
}

/** Makes an empty jar. All requests go to one link, so paths and domains make no difference. */
export const make = (): Cookies => {
  const jar = new Map<string, string>()
  return {
    keep: (set) => {
      for (const line of set) {
        const [pair = "", ...attributes] = line.split(";")
        const at = pair.indexOf("=")
        if (at < 1) continue
        const name = pair.slice(0, at).trim()
        const ended = attributes.some((each) => /^\s*max-age\s*=\s*(-\d+|0)\s*$/i.test(each))
        if (ended) jar.delete(name)
        else jar.set(name, pair.slice(at + 1).trim())
      }
    },
    headers: () => (jar.size === 0 ? {} : { Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") })
  }
}
