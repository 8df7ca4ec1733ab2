import type { Prerequisite } from "./Settings.ts"

/** A request to the service; by default with the access token. */
export interface Request {
  readonly method: string
  /** Below `/openapi/v2`, or a whole address. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly chunked?: boolean
  /** The setting whose value is the bearer token, or the token itself, or none. */
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
  /** The body read as JSON; absent when it is none. */
  readonly json: unknown
}

/** What was sent and what came, without secrets, for the report. */
export interface Exchange {
  readonly sent: string
  readonly came: string
}
