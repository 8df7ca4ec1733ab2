/** A request for a file; header names are in lower case. */
export interface FileRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

/** A file as HTTP sees it. */
export interface Representation {
  /** A strong validator, in quotation marks. */
  readonly etag: string
  readonly modified: Date
  readonly size: number
}

/** Which bytes of a file, both ends included. */
export interface Part {
  readonly start: number
  readonly end: number
}

/** The response to a request for a file (RFC 9110 13.2.2 and 14.2). */
export type Decision =
  | { readonly status: 200 }
  | { readonly status: 206; readonly part: Part }
  | { readonly status: 304 | 412 | 416 }

/** Decides on preconditions and ranges. Several ranges, or an invalid range, get the whole file. */
export const decide = ({ headers, method }: FileRequest, file: Representation): Decision => {
  const match = headers["if-match"]
  if (match !== undefined ? !names(match, file.etag, false) : isNewerThan(file, headers["if-unmodified-since"])) {
    return { status: 412 }
  }
  const known = headers["if-none-match"]
  if (known !== undefined ? names(known, file.etag, true) : isNotNewerThan(file, headers["if-modified-since"])) {
    return { status: 304 }
  }
  // A date is too coarse to promise that the parts belong together.
  const condition = headers["if-range"]
  if (method !== "GET" || (condition !== undefined && condition !== file.etag)) return { status: 200 }
  return partOf(headers["range"], file.size)
}

/** `Content-Disposition` with a name that every client understands (RFC 6266). */
export const disposition = (kind: "inline" | "attachment", name: string): string => {
  const plain = name.replace(/[^\u0020-\u007e]|["\\%]/gu, "_")
  const whole = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`
}

/** Tells whether a list of entity tags names this one; only a weak comparison takes weak ones. */
const names = (list: string, etag: string, weak: boolean): boolean =>
  list.trim() === "*" || list.split(",").some((tag) => (weak ? tag.trim().replace(/^W\//, "") : tag.trim()) === etag)

/** Both are false for a date that is missing or none. */
const isNewerThan = (file: Representation, date: string | undefined): boolean => seconds(file) > Date.parse(date ?? "")
const isNotNewerThan = (file: Representation, date: string | undefined): boolean =>
  seconds(file) <= Date.parse(date ?? "")

/** Dates in headers have no fractions of a second. */
const seconds = ({ modified }: Representation): number => Math.floor(modified.getTime() / 1000) * 1000

const partOf = (header: string | undefined, size: number): Decision => {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? []
  if (from === "" && to === "") return { status: 200 }
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from)
  if (from !== "" && to !== "" && Number(to) < start) return { status: 200 }
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1)
  return start > end ? { status: 416 } : { status: 206, part: { start, end } }
}
