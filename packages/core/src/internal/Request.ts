import type { HttpMethod } from "@effect/platform/HttpMethod"
import type * as Exit from "effect/Exit"
import type * as Runtime from "effect/Runtime"
import type { Body } from "./Body.ts"

/** A request below the base URL, before it has credentials. */
export interface Request {
  readonly method: HttpMethod
  /** Path and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: RequestBody | undefined
}

export interface RequestBody {
  readonly text: string
  readonly contentType: string
}

/** A request with its whole address and all headers. */
export interface SentRequest extends Omit<Request, "path"> {
  readonly url: string
}

/** Work that was begun. Its result rejects only with a defect; after a stop it may never come. */
export interface Running<A> {
  readonly result: Promise<A>
  readonly stop: () => void
}

/** A response whose body was not read yet. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Reads the body up to `limit` bytes. Is called once. */
  readonly body: (limit: number) => Running<Body>
}

/** The status and request id of a response. */
export interface ResponseInfo {
  readonly status: number
  readonly requestId: string | undefined
}

/** A request that got no response; one that `isInvalid` was not sent. */
export interface SendFailure {
  readonly _tag: "SendFailure"
  readonly isInvalid: boolean
  readonly cause: unknown
}

/** Begins to send a request, with the runtime of its caller. It follows no redirects. */
export type Send = (request: SentRequest, runtime: Runtime.Runtime<never>) => Running<Exit.Exit<Response, SendFailure>>
