/** A media type that is safe to be sent as a header. */
export interface MediaType {
  /** `type/subtype` alone, in lower case: what decisions are made on. */
  readonly bare: string
  readonly charset: string | undefined
}

/** Reads a media type that somebody declared; of its parameters only a charset is kept. Undefined when it is none. */
export const parse = (declared: unknown): MediaType | undefined => {
  if (typeof declared !== "string" || declared.length > longest) return undefined
  const [essence = "", ...parameters] = declared.split(";").map((part) => part.trim())
  if (!typePattern.test(essence)) return undefined
  const charset = parameters.map((parameter) => charsetPattern.exec(parameter)?.[1]).find((name) => name !== undefined)
  return { bare: essence.toLowerCase(), charset: charset?.toLowerCase() }
}

/** Writes a media type the way it stands in a header. */
export const format = ({ bare, charset }: MediaType): string =>
  charset === undefined ? bare : `${bare}; charset=${charset}`

/** What a file is called whose type is not known. */
export const unknown: MediaType = { bare: "application/octet-stream", charset: undefined }

const longest = 255

const typePattern = /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/i

const charsetPattern = /^charset="?([a-z0-9!#$&^_.+-]+)"?$/i
