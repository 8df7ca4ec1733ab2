import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { createParser } from "eventsource-parser"
import type { IncomingMessage } from "node:http"
import { CheckContext, type Task } from "../CheckContext.ts"
import { Mismatch, type Skipped, NoResponse } from "../CheckFailure.ts"
import type { Response } from "../HttpMessage.ts"
import * as Http from "./Http.ts"
import { isRecord } from "./Json.ts"

/** One connection of a task's ACP channel (contract 4.13), with the messages as received. */
export interface AcpChannel {
  readonly id: string
  readonly head: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** The next message of the stream; fails after some seconds without one. */
  readonly next: Effect.Effect<unknown, Mismatch>
  /** POSTs one message, or any text, over this connection. */
  readonly post: (message: unknown) => Effect.Effect<Response, Skipped | NoResponse, CheckContext>
  /** Sends a request and returns its response, with the messages before it. */
  readonly request: (
    method: string,
    params: unknown,
    id?: number | string
  ) => Effect.Effect<
    {
      readonly response: Readonly<Record<string, unknown>>
      readonly earlierMessages: ReadonlyArray<unknown>
      readonly postResponse: Response
    },
    Mismatch | Skipped | NoResponse,
    CheckContext
  >
}

/** Opens a connection; it closes with the scope. */
export const open = (
  task: Task
): Effect.Effect<AcpChannel, Mismatch | Skipped | NoResponse, CheckContext | Scope.Scope> =>
  Effect.gen(function* () {
    const context = yield* CheckContext
    const stream = yield* Effect.acquireRelease(
      Effect.interruptible(
        Http.withTimeout(
          Http.startExchange(
            {
              method: "GET",
              url: new URL(task.link),
              target: requestTargetOf(task.link),
              headers: {
                host: new URL(task.link).host,
                authorization: `Bearer ${task.token}`,
                accept: "text/event-stream"
              }
            },
            { keepAlive: false }
          )
        )
      ).pipe(Effect.mapError(({ reason }) => new NoResponse({ reason: `GET ${task.link}: ${reason}` }))),
      (stream) => Effect.sync(() => void stream.destroy())
    )
    const head = { status: stream.statusCode ?? 0, headers: Http.headersOf(stream) }
    yield* context.record({
      sent: `GET ${task.link}\nauthorization: Bearer ***\naccept: text/event-stream`,
      received: `${head.status} ${JSON.stringify(head.headers)}`
    })
    const id = head.headers["acp-connection-id"] ?? ""
    if (head.status !== 200 || id === "") {
      return yield* new Mismatch({
        problems: [`GET {link} opens a stream with 200 and Acp-Connection-Id; it answered ${head.status} without one`]
      })
    }
    const messages = yield* queueMessages(stream)
    const next = Queue.take(messages).pipe(
      Effect.timeoutFail({
        duration: "9 seconds",
        onTimeout: () => new Mismatch({ problems: ["the stream carries the awaited message; none came in 9 seconds"] })
      })
    )
    const post = (message: unknown) =>
      context.send({
        method: "POST",
        path: task.link,
        token: { token: task.token },
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "acp-connection-id": id
        },
        body: typeof message === "string" ? message : JSON.stringify(message)
      })
    let lastId = 0
    return {
      id,
      head,
      next,
      post,
      request: (method, params, requestId) =>
        Effect.gen(function* () {
          const id = requestId ?? ++lastId
          const postResponse = yield* post({ jsonrpc: "2.0", id, method, params })
          if (postResponse.status < 200 || postResponse.status > 299) {
            return yield* new Mismatch({
              problems: [`POST ${method} is answered with 2xx, not ${postResponse.status}`]
            })
          }
          const earlierMessages: Array<unknown> = []
          for (;;) {
            const message = yield* next
            if (isRecord(message) && message["method"] === undefined && message["id"] === id) {
              yield* context.record({ sent: `${method} (id ${id})`, received: `SSE ${JSON.stringify(message)}` })
              return { response: message, earlierMessages, postResponse }
            }
            earlierMessages.push(message)
            yield* answerPermissionRequest(message, post)
          }
        })
    }
  })

/** Allows every permission request, so that a turn never waits for a person. */
const answerPermissionRequest = (message: unknown, post: AcpChannel["post"]) => {
  if (!isRecord(message) || message["method"] !== "session/request_permission") return Effect.void
  const params = isRecord(message["params"]) ? message["params"] : {}
  const options = Array.isArray(params["options"]) ? params["options"].filter(isRecord) : []
  const option = options.find(({ kind }) => String(kind).startsWith("allow")) ?? options[0]
  return post({
    jsonrpc: "2.0",
    id: message["id"],
    result: { outcome: { outcome: "selected", optionId: option?.["optionId"] } }
  })
}

const queueMessages = (stream: IncomingMessage) =>
  Effect.map(Queue.unbounded<unknown>(), (queue) => {
    const parser = createParser({
      onEvent: ({ data }) => {
        try {
          queue.unsafeOffer(JSON.parse(data))
        } catch {
          // A message that is not JSON stays as text, for the check of the messages.
          queue.unsafeOffer(data)
        }
      }
    })
    stream.setEncoding("utf8")
    stream.on("data", (text: string) => parser.feed(text))
    // After the end of the stream the next message times out.
    stream.on("error", () => parser.reset())
    return queue
  })

const requestTargetOf = (link: string) => {
  const { pathname, search } = new URL(link)
  return pathname + search
}
