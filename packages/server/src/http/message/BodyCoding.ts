/** Says why a body with these headers is not supported (415); undefined for plain UTF-8. */
export const findProblem = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const codings = (headers["content-encoding"] ?? "").split(",").map((coding) => coding.trim().toLowerCase())
  if (codings.some((coding) => coding !== "" && coding !== "identity")) {
    return "A body with a Content-Encoding is not taken here: send it as it is. Nothing was done."
  }
  const charset = charsetOf(headers["content-type"] ?? "")
  return charset === undefined || charsets.includes(charset)
    ? undefined
    : "The charset of the Content-Type is not taken here: send the body as UTF-8. Nothing was done."
}

// US-ASCII is a subset of UTF-8, and "utf8" a common spelling of it.
const charsets = ["utf-8", "utf8", "us-ascii"]

const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/i.exec(contentType)?.[1]?.replaceAll('"', "").trim().toLowerCase()
