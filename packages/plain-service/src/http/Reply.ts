import type { ServerResponse } from "node:http"

/** What a request is answered with. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Keeps the response open, for a stream. */
  readonly stream?: (response: ServerResponse) => void
}

/** Makes the replies that endpoints give. */
export const Reply = {
  empty: (status: number, headers: Readonly<Record<string, string>> = {}): Reply => ({ status, headers, body: "" }),

  json: (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(value)
  }),

  text: (status: number, body: string, type = "text/plain"): Reply => ({
    status,
    headers: { "Content-Type": `${type}; charset=utf-8` },
    body
  }),

  bytes: (body: Uint8Array, type: string): Reply => ({ status: 200, headers: { "Content-Type": type }, body }),

  stream: (headers: Readonly<Record<string, string>>, stream: (response: ServerResponse) => void): Reply => ({
    status: 200,
    headers,
    body: "",
    stream
  })
}
