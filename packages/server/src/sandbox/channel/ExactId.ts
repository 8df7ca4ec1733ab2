import { randomUUID } from "node:crypto"
import { field, isRecord } from "../../internal/Json.ts"

/**
 * Parses a JSON-RPC message whose id may be a number that JavaScript cannot represent. Such an id becomes a string,
 * which {@link stringify} turns back into exactly the number that was sent.
 */
export const parse = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value) || !(isInexact(value["id"]) || isInexact(field(value["params"], "requestId")))) return value
  const withMarkedIds: unknown = JSON.parse(
    text.replace(tokens, (token) =>
      token.startsWith('"') || !isInexact(Number(token)) ? token : JSON.stringify(marker + token)
    )
  )
  const { params } = value
  const requestId = field(field(withMarkedIds, "params"), "requestId")
  return {
    ...value,
    ...("id" in value ? { id: field(withMarkedIds, "id") } : {}),
    ...(isRecord(params) && requestId !== undefined ? { params: { ...params, requestId } } : {})
  }
}

/** The JSON text of a message with its original id. */
export const stringify = (message: object): string => {
  const text = JSON.stringify(message)
  const id = "id" in message ? message.id : undefined
  return typeof id === "string" && id.startsWith(marker)
    ? text.replace(JSON.stringify(id), id.slice(marker.length))
    : text
}

const isInexact = (value: unknown): boolean => typeof value === "number" && !Number.isSafeInteger(value)

/** Random for each process, so that no client can send it. */
const marker = `${randomUUID()} `

/** Matches the strings and the numbers of a JSON text. */
const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
