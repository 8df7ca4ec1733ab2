/** Masks secrets in the report: those of the settings and those that the service issues. */
export interface Secrets {
  /** Masks a text from now on. */
  readonly add: (secret: string) => void
  /** Adds the tokens of a response body. */
  readonly addFromBody: (text: string) => void
  readonly mask: (text: string) => string
}

/** Makes a masker that starts with these secrets. */
export const make = (initial: Iterable<string>): Secrets => {
  const secrets = new Set<string>()
  const add = (secret: string) => {
    // Shorter texts occur by chance, and hiding them would make a report unreadable.
    if (secret.length >= 6) secrets.add(secret)
  }
  for (const secret of initial) add(secret)
  return {
    add,
    addFromBody: (text) => {
      for (const [, value = ""] of text.matchAll(/"(?:access_token|refresh_token|token)"\s*:\s*"([^"]+)"/g)) add(value)
    },
    mask: (text) => {
      let masked = text
      for (const secret of [...secrets].sort((a, b) => b.length - a.length)) {
        for (const spelling of new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])) {
          masked = masked.replaceAll(spelling, "***")
        }
      }
      return masked
        .replace(/([?&;](?:code|signature|access_token|token)=)[^&\s"]+/g, "$1***")
        .replace(/\b(authorization: \w+) \S+/gi, "$1 ***")
    }
  }
}
