/** Data that came with a prompt. */
export interface Attachment {
  /** A name to show; "" for pasted text. */
  readonly name: string
  readonly mimeType?: string | undefined
  readonly bytes: Uint8Array
}

/** The last part of a URI or path as a file name. */
export const nameOf = (uri: string): string => {
  const path = uri
    .slice(-4096)
    .replace(/[?#].*$/s, "")
    .replace(/[\\/]+$/, "")
  const segment = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1)
  try {
    return decodeURIComponent(segment)
  } catch {
    // An invalid percent escape is part of the name.
    return segment
  }
}

/** A file name without anything that could leave its folder or confuse a shell. */
export const safeName = (name: string, fallback: string): string => {
  const safe = nameOf(name)
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}._ -]+/gu, "_")
    .replace(/^[. -]+|[. ]+$/g, "")
    .slice(-80)
  return safe === "" ? fallback : safe
}
