import type { Prerequisite } from "./Settings.ts"

/** A request to the service; by default with the access token. */
export interface Request {
  readonly method: string
  /** A path below `/openapi/v2`; after `//` a path below the base URL without that prefix; or a complete URL. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly chunked?: boolean
  /** The setting of the bearer token, the token itself, or none. */
  readonly token?: TokenSetting | { readonly token: string } | "none"
}

/** Settings that are access tokens. */
export type TokenSetting = Extract<Prerequisite, `${string}ccessToken`>

/** A response of the service. */
export interface Response {
  readonly request: Request
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly bytes: Uint8Array
  /** The body parsed as JSON; undefined if it is not JSON. */
  readonly json: unknown
}

/** A request and its response without secrets, for the report. */
export interface Exchange {
  readonly sent: string
  readonly received: string
}
