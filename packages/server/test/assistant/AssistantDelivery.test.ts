import { assert, describe, it } from "@effect/vitest"
import * as AssistantCredentials from "@heddle/server/assistant/AssistantCredentials"
import * as AssistantDelivery from "@heddle/server/assistant/AssistantDelivery"
import { AssistantMessages } from "@heddle/server/assistant/AssistantMessages"
import { AssistantOptions } from "@heddle/server/assistant/AssistantOptions"
import type { EventSink } from "@heddle/server/assistant/Connections"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { withAllRules } from "../support/AllRules.ts"

/** A run of the service; it looks after connections only when the test says so. */
const started = Effect.gen(function* () {
  const options = yield* AssistantOptions
  const context = yield* Effect.provideService(Layer.build(AssistantDelivery.layer), AssistantOptions, {
    ...options,
    sweep: Duration.days(1)
  })
  return Context.get(context, AssistantDelivery.AssistantDelivery)
})

/** A computer of Ada, and the ids of the messages that it was sent. */
const computer = Effect.gen(function* () {
  const credentials = yield* AssistantCredentials.AssistantCredentials
  const { assistantId } = yield* credentials.create("ada", "hers")
  const received: Array<string> = []
  const sink: EventSink = {
    push: ({ data, event }) => {
      if (event === "message") received.push(data.messageId)
    },
    end: () => {}
  }
  return { run: { assistantId, userId: "ada", instance: "run-1" }, sink, received }
})

/** Two computers of Ada, the first of which has begun to answer a message. */
const begun = (clientId: string) =>
  Effect.gen(function* () {
    const delivery = yield* started
    const [one, two] = [yield* computer, yield* computer]
    const id = yield* Effect.flatMap(AssistantMessages, (messages) =>
      messages.send({ clientId, userId: "ada" }, "hello")
    )
    const leave = yield* delivery.connect(one.run, one.sink)
    assert.deepStrictEqual(one.received, [id])
    yield* TestClock.adjust("70 seconds")
    return { delivery, id, leave, two }
  })

/** Another computer gets the message a minute from now, and not a millisecond earlier. */
const isHandedOverInAMinute = ({ delivery, id, two }: Effect.Effect.Success<ReturnType<typeof begun>>) =>
  Effect.gen(function* () {
    yield* Effect.asVoid(delivery.connect(two.run, two.sink))
    yield* TestClock.adjust(59_999)
    yield* delivery.deliverNext("ada")
    assert.deepStrictEqual(two.received, [])
    yield* TestClock.adjust(1)
    yield* delivery.deliverNext("ada")
    assert.deepStrictEqual(two.received, [id])
  })

describe("a message that a computer began to answer", () => {
  it.scoped("goes to another computer a minute after the end of its connection", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const stage = yield* begun(clientId)
        yield* stage.leave
        yield* isHandedOverInAMinute(stage)
      }).pipe(Effect.provide(AssistantCredentials.layer))
    )
  )

  it.scoped("goes to another computer a minute after a restart of the service", () =>
    withAllRules({}, ({ clientId }) =>
      Effect.gen(function* () {
        const stage = yield* begun(clientId)
        yield* isHandedOverInAMinute({ ...stage, delivery: yield* started })
      }).pipe(Effect.provide(AssistantCredentials.layer))
    )
  )
})
