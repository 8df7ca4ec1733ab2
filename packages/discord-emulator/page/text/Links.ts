/**
 * Returns an http or https address; others give undefined, so that text from a bot can never run code.
 */
export const webUrl = (target: unknown): string | undefined => {
  if (typeof target !== "string" || !/^https?:\/\//i.test(target.trim())) return undefined
  return URL.canParse(target) ? new URL(target).href : undefined
}

/** The paths of files on this server; a path that begins with two slashes names another host. */
const storedFilePath = /^\/(attachments|avatars|embed\/avatars|icons|emojis)\//

/**
 * Returns a path on this server for a file that it keeps, however the address names the machine (localhost, 127.0.0.1).
 * Files elsewhere give undefined: the page loads nothing from outside.
 */
export const localFileUrl = (target: unknown): string | undefined => {
  if (typeof target !== "string" || !URL.canParse(target, location.href)) return undefined
  const url = new URL(target, location.href)
  const isThisServer = url.origin === location.origin || (isLoopback(url.hostname) && url.port === location.port)
  return isThisServer && /^https?:$/.test(url.protocol) && storedFilePath.test(url.pathname)
    ? url.pathname + url.search
    : undefined
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || host.startsWith("127.")
