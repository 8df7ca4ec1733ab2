/** Hides what must not be printed: what was given, and what the service handed out on the way. */
export interface Secrets {
  /** From now on this text is hidden. */
  readonly add: (secret: string) => void
  /** Learns the secrets that a body carries. */
  readonly learn: (text: string) => void
  readonly mask: (text: string) => string
}

/** Starts with what is known. */
export const make = (known: Iterable<string>): Secrets => {
  const secrets = new Set<string>()
  const add = (secret: string) => {
    // Shorter texts occur by chance, and hiding them would make a report unreadable.
    if (secret.length >= 6) secrets.add(secret)
  }
  for (const secret of known) add(secret)
  return {
    add,
    learn: (text) => {
      for (const [, value = ""] of text.matchAll(/"(?:access_token|refresh_token|token)"\s*:\s*"([^"]+)"/g)) add(value)
    },
    mask: (text) => {
      let masked = text
      for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
        for (const form of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
          masked = masked.replaceAll(form, "***")
        }
      }
      return masked
        .replace(/([?&;](?:code|signature|access_token|token)=)[^&\s"]+/g, "$1***")
        .replace(/\b(authorization: \w+) \S+/gi, "$1 ***")
    }
  }
}
