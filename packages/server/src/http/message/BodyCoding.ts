/** Why a body with these headers is not read (415), in words for the caller; undefined where it is plain UTF-8. */
export const refusal = (headers: Readonly<Record<string, string | undefined>>): string | undefined => {
  const codings = (headers["content-encoding"] ?? "").split(",").map((coding) => coding.trim().toLowerCase())
  if (codings.some((coding) => coding !== "" && coding !== "identity")) {
    return "A body with a Content-Encoding is not taken here: send it as it is. Nothing was done."
  }
  const charset = charsetOf(headers["content-type"] ?? "")
  return charset === undefined || charsets.includes(charset)
    ? undefined
    : "The charset of the Content-Type is not taken here: send the body as UTF-8. Nothing was done."
}

// US-ASCII is a part of UTF-8, and "utf8" is how the same is often spelled.
const charsets = ["utf-8", "utf8", "us-ascii"]

const charsetOf = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*("[^"]*"|[^\s;]*)/i.exec(contentType)?.[1]?.replaceAll('"', "").trim().toLowerCase()
