import * as JsonRpc from "../JsonRpc.ts"

/** How many characters of each end of a message show its id. */
export const sampleLength = 400

/**
 * The failure that stands for a response too large to be read, so that its call ends. `start` and `end` are the first and
 * last characters of the response; undefined where they show no response, or no id.
 */
export const failure = (start: string, end: string): JsonRpc.Failure | undefined => {
  const id = idFirst.exec(start)?.[1] ?? (resultFirst.test(start) ? idLast.exec(end)?.[1] : undefined)
  return id === undefined ? undefined : JsonRpc.failure(JSON.parse(id) as JsonRpc.Id, JsonRpc.RpcError.tooLarge())
}

const idFirst =
  /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15}|"[\w.:-]{1,200}")\s*,\s*"(?:result|error)"/
const resultFirst = /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"(?:result|error)"/
const idLast = /,\s*"id"\s*:\s*(\d{1,15}|"[\w.:-]{1,200}")\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/
