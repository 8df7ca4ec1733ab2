/** A request for a file; header names are in lower case. */
export interface FileRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A file as an HTTP representation (RFC 9110 3.2). */
export interface Representation {
  /** A strong validator, in quotation marks. */
  readonly etag: string
  readonly modifiedAt: Date
  readonly size: number
}

/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The response to a request for a file (RFC 9110 13.2.2 and 14.2). */
export type Decision =
  | { readonly status: 200 }
  | { readonly status: 206; readonly range: ByteRange }
  | { readonly status: 304 | 412 | 416 }

/** Decides on preconditions and ranges. Several ranges, or an invalid range, get the whole file. */
export const decide = ({ headers, method }: FileRequest, file: Representation): Decision => {
  const ifMatch = headers["if-match"]
  if (
    ifMatch !== undefined ? !listsTag(ifMatch, file.etag, false) : isNewerThan(file, headers["if-unmodified-since"])
  ) {
    return { status: 412 }
  }
  const ifNoneMatch = headers["if-none-match"]
  if (
    ifNoneMatch !== undefined
      ? listsTag(ifNoneMatch, file.etag, true)
      : isNotNewerThan(file, headers["if-modified-since"])
  ) {
    return { status: 304 }
  }
  // A date is too coarse to prove that the ranges belong to the same file.
  const ifRange = headers["if-range"]
  if (method !== "GET" || (ifRange !== undefined && ifRange !== file.etag)) return { status: 200 }
  return decideRange(headers["range"], file.size)
}

/** `Content-Disposition` with a name that every client understands (RFC 6266). */
export const disposition = (kind: "inline" | "attachment", name: string): string => {
  const asciiName = name.replace(/[^\u0020-\u007e]|["\\%]/gu, "_")
  const encodedName = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `${kind}; filename="${asciiName}"; filename*=UTF-8''${encodedName}`
}

/** Tells whether a list of entity tags contains this one; only a weak comparison accepts weak tags. */
const listsTag = (list: string, etag: string, weak: boolean): boolean =>
  list.trim() === "*" || list.split(",").some((tag) => (weak ? tag.trim().replace(/^W\//, "") : tag.trim()) === etag)

// Both are false for a missing or invalid date.
const isNewerThan = (file: Representation, date: string | undefined): boolean =>
  wholeSecondsMs(file) > Date.parse(date ?? "")
const isNotNewerThan = (file: Representation, date: string | undefined): boolean =>
  wholeSecondsMs(file) <= Date.parse(date ?? "")

/** The time of the file without fractions of a second, which dates in headers do not have. */
const wholeSecondsMs = ({ modifiedAt }: Representation): number => Math.floor(modifiedAt.getTime() / 1000) * 1000

const decideRange = (header: string | undefined, size: number): Decision => {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? []
  if (from === "" && to === "") return { status: 200 }
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from)
  if (from !== "" && to !== "" && Number(to) < start) return { status: 200 }
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1)
  return start > end ? { status: 416 } : { status: 206, range: { start, end } }
}
