import * as JsonRpc from "../JsonRpc.ts"

/** How many characters of each end of a message tell its id. */
export const kept = 400

/**
 * The failure that stands for an answer too large to be read, made of its first and its last characters: whoever waits
 * for it must not wait for ever. Undefined where they show no answer, or not which one.
 */
export const failure = (begin: string, end: string): JsonRpc.Failure | undefined => {
  const id = idFirst.exec(begin)?.[1] ?? (resultFirst.test(begin) ? idLast.exec(end)?.[1] : undefined)
  return id === undefined ? undefined : JsonRpc.failure(JSON.parse(id) as JsonRpc.Id, JsonRpc.RpcError.tooLarge())
}

const idFirst =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w.:-]{1,200}")\s*,\s*"(?:result|error)"/
const resultFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/
const idLast = /,\s*"id"\s*:\s*(\d{1,15}|"[\w.:-]{1,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/
