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

/** A response whose body was already read and parsed; `undefined` if it is not JSON. */
export class BufferedResponse extends Inspectable.Class implements HttpClientResponse.HttpClientResponse {
  readonly [HttpIncomingMessage.TypeId]: HttpIncomingMessage.TypeId = HttpIncomingMessage.TypeId
  readonly [HttpClientResponse.TypeId]: HttpClientResponse.TypeId = HttpClientResponse.TypeId
  readonly headers = jsonHeaders
  readonly cookies = Cookies.empty
  readonly remoteAddress = Option.none<string>()
  readonly request: HttpClientRequest.HttpClientRequest
  readonly status: number
  readonly #body: unknown

  constructor(request: HttpClientRequest.HttpClientRequest, status: number, body: unknown) {
    super()
    this.request = request
    this.status = status
    this.#body = body
  }

  get text() {
    return Effect.sync(() => this.#text())
  }

  get json(): Effect.Effect<unknown, HttpClientError.ResponseError> {
    return Effect.suspend(() =>
      this.#body === undefined ? Effect.fail(this.#unreadable(undefined)) : Effect.succeed(this.#body)
    )
  }

  get arrayBuffer(): Effect.Effect<ArrayBuffer> {
    return Effect.sync(() => {
      const { buffer, byteLength, byteOffset } = encoder.encode(this.#text())
      return buffer.slice(byteOffset, byteOffset + byteLength)
    })
  }

  get stream() {
    return Stream.sync(() => encoder.encode(this.#text()))
  }

  get urlParamsBody() {
    return Effect.sync(() => UrlParams.fromInput(new URLSearchParams(this.#text())))
  }

  get formData(): Effect.Effect<FormData, HttpClientError.ResponseError> {
    return Effect.suspend(() => Effect.fail(this.#unreadable(undefined)))
  }

  toJSON(): unknown {
    return { _id: "@heddle/core/BufferedResponse", status: this.status }
  }

  #text(): string {
    return this.#body === undefined ? "" : JSON.stringify(this.#body)
  }

  #unreadable(cause: unknown) {
    return new HttpClientError.ResponseError({ request: this.request, response: this, reason: "Decode", cause })
  }
}

const encoder = new TextEncoder()
const jsonHeaders = Headers.fromInput({ "content-type": "application/json" })
