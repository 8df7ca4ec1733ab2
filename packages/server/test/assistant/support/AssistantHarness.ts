import { AssistantOptions, type Options } from "@heddle/server/assistant/AssistantOptions"
import type { ServerOptions } from "@heddle/server/config/ServerOptions"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Api from "../../support/Api.ts"
import * as TestServer from "../../support/TestServer.ts"

export interface Message {
  readonly message_id: string
  readonly role: string
  readonly content: ReadonlyArray<string>
  readonly msg_type: string
  readonly created_at: string
  readonly attachments: ReadonlyArray<unknown>
  readonly metadata: Record<string, unknown> & { readonly questions?: ReadonlyArray<Record<string, unknown>> }
}

/** What an application sees of the local assistant. */
export const application = (url: string, accessToken: string) => {
  const call = (path: string, init: Parameters<typeof Api.withToken>[1] = {}) =>
    Api.request({ at: (path: string) => url + path } as TestServer.TestServer, `/openapi/v2/localassistant${path}`, {
      ...Api.withToken(accessToken, init)
    })
  const data = (answer: Api.Answer) => answer.json["data"] as Record<string, unknown>
  const online = Effect.map(call(""), (answer) => data(answer)["online"] === true)
  const post = (json: unknown, headers: Record<string, string> = {}) => call("/message", { json, headers })
  const history = (query = "") =>
    Effect.map(call(`/message${query}`), (answer) => data(answer)["messages"] as Array<Message>)
  const poll = <A>(
    effect: Effect.Effect<A>,
    until: (value: A) => boolean,
    within: Duration.DurationInput = "15 seconds"
  ) =>
    effect.pipe(
      Effect.repeat({ schedule: Schedule.zipRight(Schedule.spaced("30 millis"), Schedule.identity<A>()), until }),
      Effect.timeoutFail({ duration: within, onTimeout: () => new Error("it did not come about in time") }),
      Effect.orDie
    )
  const send = (content: string, headers: Record<string, string> = {}) =>
    Effect.map(post({ content, msg_type: "text" }, headers), (answer) => {
      if (answer.status !== 200) throw new Error(answer.text)
      return String(data(answer)["message_id"])
    })
  /** The answer to a message, once it is there. */
  const reply = (messageId: string, within?: Duration.DurationInput) =>
    Effect.map(
      poll(
        history(`?message_id=${messageId}`),
        (all) => all.some((each) => each.metadata["answers"] === messageId),
        within
      ),
      (all) => all.find((each) => each.metadata["answers"] === messageId) as Message
    )
  /** The first question after a message, once it is there. */
  const question = (messageId: string) =>
    Effect.map(
      poll(history(`?message_id=${messageId}`), (all) => all.some((each) => each.metadata["requestId"] !== undefined)),
      (all) => all.find((each) => each.metadata["requestId"] !== undefined) as Message
    )
  const answer = (requestId: unknown, answers: unknown, outcome = "selected") =>
    post({ content: JSON.stringify({ outcome, requestId, answers }), msg_type: "permission_response" })
  const becomes = (value: boolean, within?: Duration.DurationInput) => poll(online, (now) => now === value, within)
  return { call, online, post, history, send, reply, question, answer, becomes, poll }
}

/** A service in this process with the account Ada, one credential of hers, and applications by name. */
export const service = (options: Partial<ServerOptions> = {}, channel: Partial<Options> = {}) =>
  Effect.gen(function* () {
    const defaults = yield* AssistantOptions
    const server = yield* TestServer.make(options).pipe(
      Effect.provideService(AssistantOptions, { ...defaults, ...channel })
    )
    const { userId } = yield* server.accounts.ensure({ name: "Ada" })
    const credential = Effect.map(server.assistants.create(userId, "test"), ({ assistantId, assistantToken }) => ({
      assistantId,
      token: Redacted.value(assistantToken)
    }))
    return {
      ...server,
      userId,
      credential,
      app: (name = "Loom", person = "Ada") =>
        Effect.map(server.grantTo(name, person), (token) => application(server.url, token))
    }
  })
