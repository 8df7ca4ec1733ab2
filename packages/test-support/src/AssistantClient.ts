import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"

export interface Message {
  readonly message_id: string
  readonly role: string
  readonly content: ReadonlyArray<string>
  readonly msg_type: string
  readonly created_at: string
  readonly attachments: ReadonlyArray<unknown>
  readonly metadata: Record<string, unknown> & { readonly questions?: ReadonlyArray<Record<string, unknown>> }
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Record<string, unknown>
}

/** What an application sees of the local assistant. */
export const application = (url: string, accessToken: string) => {
  const call = (path: string, init: { readonly json?: unknown; readonly headers?: Record<string, string> } = {}) =>
    Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`${url}/openapi/v2/localassistant${path}`, {
        headers: { authorization: `Bearer ${accessToken}`, "content-type": "application/json", ...init.headers },
        ...(init.json === undefined ? {} : { method: "POST", body: JSON.stringify(init.json) })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    })
  const data = (answer: Answer) => answer.json["data"] as Record<string, unknown>
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
  /** The first message about another one that fits, once it is there. */
  const following = (messageId: string, fits: (message: Message) => boolean, within?: Duration.DurationInput) =>
    Effect.map(
      poll(history(`?message_id=${messageId}`), (all) => all.some(fits), within),
      (all) => all.find(fits) as Message
    )
  return {
    call,
    online,
    post,
    history,
    send: (content: string, headers: Record<string, string> = {}) =>
      Effect.map(post({ content, msg_type: "text" }, headers), (answer) => {
        if (answer.status !== 200) throw new Error(answer.text)
        return String(data(answer)["message_id"])
      }),
    /** The answer to a message, once it is there. */
    reply: (messageId: string, within?: Duration.DurationInput) =>
      following(messageId, ({ metadata }) => metadata["answers"] === messageId, within),
    /** The first question after a message, once it is there. */
    question: (messageId: string) => following(messageId, ({ metadata }) => metadata["requestId"] !== undefined),
    answer: (requestId: unknown, answers: unknown, outcome = "selected") =>
      post({ content: JSON.stringify({ outcome, requestId, answers }), msg_type: "permission_response" }),
    becomes: (value: boolean, within?: Duration.DurationInput) => poll(online, (now) => now === value, within),
    poll
  }
}

/** What a service in this process offers its tests. */
interface Service {
  readonly url: string
  readonly accounts: {
    readonly ensure: (account: { readonly name: string }) => Effect.Effect<{ readonly userId: string }, unknown>
  }
  readonly assistants: {
    readonly create: (
      userId: string,
      name: string
    ) => Effect.Effect<{ readonly assistantId: string; readonly assistantToken: Redacted.Redacted }>
  }
  /** An access token for a person's account in an application. */
  readonly grantTo: (application: string, person: string) => Effect.Effect<string, unknown>
}

/** Adds the account Ada to a service, with credentials of hers, and applications by name. */
export const withAda = <S extends Service>(service: S) =>
  Effect.map(Effect.orDie(service.accounts.ensure({ name: "Ada" })), ({ userId }) => ({
    ...service,
    userId,
    credential: Effect.map(service.assistants.create(userId, "test"), ({ assistantId, assistantToken }) => ({
      assistantId,
      token: Redacted.value(assistantToken)
    })),
    app: (name = "Loom", person = "Ada") =>
      Effect.map(Effect.orDie(service.grantTo(name, person)), (token) => application(service.url, token))
  }))
