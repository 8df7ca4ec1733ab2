/** A media type that is safe in a header. */
export interface MediaType {
  /** `type/subtype` without parameters, in lower case. */
  readonly essence: string
  readonly charset: string | undefined
}

/** Parses a media type and keeps only its charset parameter; undefined for other values. */
export const parse = (declared: unknown): MediaType | undefined => {
  if (typeof declared !== "string" || declared.length > maxLength) return undefined
  const [essence = "", ...parameters] = declared.split(";").map((part) => part.trim())
  if (!typePattern.test(essence)) return undefined
  const charset = parameters.map((parameter) => charsetPattern.exec(parameter)?.[1]).find((name) => name !== undefined)
  return { essence: essence.toLowerCase(), charset: charset?.toLowerCase() }
}

/** Formats a media type for a header. */
export const format = ({ essence, charset }: MediaType): string =>
  charset === undefined ? essence : `${essence}; charset=${charset}`

/** The media type of a file with an unknown type. */
export const unknown: MediaType = { essence: "application/octet-stream", charset: undefined }

const maxLength = 255

const typePattern = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i

const charsetPattern = /^charset="?([a-z0-9!#$&^_.+-]+)"?$/i
