import { randomUUID } from "node:crypto"
import { field, isRecord } from "../../internal/Json.ts"

/**
 * Parses a JSON-RPC message whose id may be a number that JavaScript cannot hold: such an id becomes a text that
 * {@link print} turns back into exactly the number that was sent.
 */
export const parse = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value) || !(isInexact(value["id"]) || isInexact(field(value["params"], "requestId")))) return value
  const marked: unknown = JSON.parse(
    text.replace(tokens, (token) =>
      token.startsWith('"') || !isInexact(Number(token)) ? token : JSON.stringify(mark + token)
    )
  )
  const { params } = value
  const requestId = field(field(marked, "params"), "requestId")
  return {
    ...value,
    ...("id" in value ? { id: field(marked, "id") } : {}),
    ...(isRecord(params) && requestId !== undefined ? { params: { ...params, requestId } } : {})
  }
}

/** The JSON text of a message, with its id as it was sent. */
export const print = (message: object): string => {
  const text = JSON.stringify(message)
  const id = "id" in message ? message.id : undefined
  return typeof id === "string" && id.startsWith(mark) ? text.replace(JSON.stringify(id), id.slice(mark.length)) : text
}

const isInexact = (value: unknown): boolean => typeof value === "number" && !Number.isSafeInteger(value)

/** Of this process only, so that no client can send it. */
const mark = `${randomUUID()} `

/** The texts and the numbers of a JSON text. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
