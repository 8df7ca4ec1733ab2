import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { Assistant } from "../../Assistant.ts"
import { Credits } from "../../Credits.ts"
import { Redemptions } from "../../Redemptions.ts"
import { Tasks } from "../../Tasks.ts"
import { Users } from "../../Users.ts"
import type { Client, WriteOptions } from "./Client.ts"
import * as Input from "./Input.ts"
import * as Plain from "./Plain.ts"
import type { Runner } from "./Runner.ts"

/** The services that a client is made of. */
export type Services = Users | Credits | Assistant | Tasks | Redemptions

/** The operations of the services, for callers who know promises. Arguments are checked before anything is sent. */
export const make = ({
  iterate,
  run
}: Pick<Runner<Services>, "run" | "iterate">): Pick<
  Client,
  "users" | "credits" | "assistant" | "tasks" | "redemptions"
> => ({
  users: {
    profile: async (options) =>
      Plain.model(
        await run(
          use(Users, ({ profile }) => profile),
          options
        )
      ),
    verifyPhone: async (number, options) => {
      const secret = Redacted.make(Input.text("number", number))
      return run(
        use(Users, ({ verifyPhone }) => verifyPhone(secret)),
        options
      )
    }
  },
  credits: {
    quota: async (options) =>
      Plain.model(
        await run(
          use(Credits, ({ quota }) => quota),
          options
        )
      )
  },
  assistant: {
    status: async (options) =>
      Plain.model(
        await run(
          use(Assistant, ({ status }) => status),
          options
        )
      ),
    sendText: async (text, options) => {
      const content = Input.text("text", text)
      return run(
        use(Assistant, ({ sendText }) => sendText(content, keyOf(options))),
        options
      )
    },
    answerPermission: async (response, options) => {
      const answer = Input.permissionResponse(response)
      return run(
        use(Assistant, ({ answerPermission }) => answerPermission(answer, keyOf(options))),
        options
      )
    },
    history: async (page, options) => {
      const messages = await run(
        use(Assistant, ({ history }) => history(Input.page<"limit" | "offset">(page))),
        options
      )
      return messages.map(Plain.model)
    },
    all: (options) =>
      iterate(
        Stream.map(
          follow(Assistant, ({ stream }) => stream),
          Plain.model
        ),
        options
      ),
    since: (messageId, options) => {
      const from = Input.messageId(messageId)
      const messages = follow(Assistant, ({ since }) => since(from, { poll: pollOf(options?.poll) }))
      return iterate(Stream.map(messages, Plain.model), options)
    }
  },
  tasks: {
    create: async (task, options) => {
      const created = Input.newTask(task)
      return Plain.task(
        await run(
          use(Tasks, ({ create }) => create(created, keyOf(options))),
          options
        )
      )
    },
    get: async (taskId, options) => {
      const id = Input.taskId(taskId)
      return Plain.task(
        await run(
          use(Tasks, ({ get }) => get(id)),
          options
        )
      )
    },
    list: async (page, options) =>
      Plain.taskPage(
        await run(
          use(Tasks, ({ list }) => list(Input.page<"page" | "size">(page))),
          options
        )
      ),
    all: (options) =>
      iterate(
        Stream.map(
          follow(Tasks, ({ stream }) => stream),
          Plain.model
        ),
        options
      ),
    awaitChannel: async (taskId, options) => {
      const id = Input.taskId(taskId)
      return Plain.channel(
        await run(
          use(Tasks, ({ awaitChannel }) => awaitChannel(id)),
          options
        )
      )
    },
    reconcile: async (lost, options) => {
      const task = Input.lostTask(lost)
      return Plain.reconciliation(
        await run(
          use(Tasks, ({ reconcile }) => reconcile(task)),
          options
        )
      )
    }
  },
  redemptions: {
    redeem: async (code, options) => {
      const secret = Redacted.make(Input.text("code", code))
      return Plain.model(
        await run(
          use(Redemptions, ({ redeem }) => redeem(secret, keyOf(options))),
          options
        )
      )
    },
    redeemVoucher: async (voucher, options) => {
      const key = Redacted.make(Input.text("key", voucher.key))
      const code = Redacted.make(Input.text("code", voucher.code))
      const redeem = use(Redemptions, ({ redeemVoucher }) => redeemVoucher({ key, code }, keyOf(options)))
      return Plain.model(await run(redeem, options))
    }
  }
})

const use = <I, S, A, E, R>(tag: Context.Tag<I, S>, operation: (service: S) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(tag, operation)

const follow = <I, S, A, E, R>(tag: Context.Tag<I, S>, operation: (service: S) => Stream.Stream<A, E, R>) =>
  Stream.unwrap(Effect.map(tag, operation))

const keyOf = (options: WriteOptions | undefined): { readonly idempotencyKey?: string } =>
  options?.idempotencyKey === undefined ? {} : { idempotencyKey: Input.text("idempotencyKey", options.idempotencyKey) }

const pollOf = (poll: { readonly firstMs?: number | undefined; readonly slowestMs?: number | undefined } = {}) => ({
  ...(poll.firstMs === undefined ? {} : { first: poll.firstMs }),
  ...(poll.slowestMs === undefined ? {} : { slowest: poll.slowestMs })
})
