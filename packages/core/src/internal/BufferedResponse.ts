import * as Cookies from "@effect/platform/Cookies"
import * as Headers from "@effect/platform/Headers"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as HttpIncomingMessage from "@effect/platform/HttpIncomingMessage"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Effect from "effect/Effect"
import * as Inspectable from "effect/Inspectable"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * A JSON response whose body was already read. The platform's responses wrap a web response; making one and reading it
 * again costs more than the rest of the call.
 */
export class BufferedResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly headers = jsonHeaders
  readonly cookies = Cookies.empty
  readonly remoteAddress = Option.none<string>()
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly #body: string

  constructor(request: HttpClientRequest.HttpClientRequest, status: number, body: string) {
    super()
    this.request = request
    this.status = status
    this.#body = body
  }

  get text() {
    return Effect.succeed(this.#body)
  }

  get json(): Effect.Effect<unknown, HttpClientError.ResponseError> {
    return Effect.try({ try: (): unknown => JSON.parse(this.#body), catch: (cause) => this.#unreadable(cause) })
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer> {
    return Effect.sync(() => {
      const { buffer, byteLength, byteOffset } = encoder.encode(this.#body)
      return buffer.slice(byteOffset, byteOffset + byteLength)
    })
  }

  get stream() {
    return Stream.sync(() => encoder.encode(this.#body))
  }

  get urlParamsBody() {
    return Effect.sync(() => UrlParams.fromInput(new URLSearchParams(this.#body)))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.ResponseError> {
    return Effect.suspend(() => Effect.fail(this.#unreadable(undefined)))
  }

  toJSON(): unknown {
    return { _id: "@heddle/core/BufferedResponse", status: this.status }
  }

  #unreadable(cause: unknown) {
    return new HttpClientError.ResponseError({ request: this.request, response: this, reason: "Decode", cause })
  }
}

const encoder = new TextEncoder()
const jsonHeaders = Headers.fromInput({ "content-type": "application/json" })
