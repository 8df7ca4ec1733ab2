import type * as Context from "effect/Context"
import { Assistant } from "../../Assistant.ts"
import { Credits } from "../../Credits.ts"
import { Redemptions } from "../../Redemptions.ts"
import { Tasks } from "../../Tasks.ts"
import { Users } from "../../Users.ts"
import * as Input from "./Input.ts"
import { call, iterate, type Promisify, promisify } from "./Promisify.ts"
import type { Runner } from "./Runner.ts"

/** The services of a client. */
export type Services = Users | Credits | Assistant | Tasks | Redemptions

/** The operations of the Open API, one group for each service. */
export interface Groups {
  readonly users: Promisify<Context.Tag.Service<Users>>
  readonly credits: Promisify<Context.Tag.Service<Credits>>
  readonly assistant: Promisify<Context.Tag.Service<Assistant>>
  readonly tasks: Promisify<Context.Tag.Service<Tasks>>
  readonly redemptions: Promisify<Context.Tag.Service<Redemptions>>
}

export const make = (runner: Pick<Runner<Services>, "run" | "iterate">): Groups => ({
  users: promisify(Users, { profile: call(), verifyPhone: call([Input.secret("number")]) }, runner),
  credits: promisify(Credits, { quota: call() }, runner),
  assistant: promisify(
    Assistant,
    {
      status: call(),
      sendText: call([Input.text("text")], Input.writeOptions),
      keepsIdempotencyKeys: call(),
      answerPermission: call([Input.permissionResponse], Input.writeOptions),
      history: call([], Input.messagePageOptions),
      all: iterate(),
      since: iterate([Input.messageId], Input.pollOptions)
    },
    runner
  ),
  tasks: promisify(
    Tasks,
    {
      create: call([Input.newTask], Input.writeOptions),
      keepsIdempotencyKeys: call(),
      get: call([Input.taskId]),
      list: call([], Input.taskPageOptions),
      all: iterate(),
      awaitChannel: call([Input.taskId]),
      reconcile: call([Input.lostTask]),
      agents: call()
    },
    runner
  ),
  redemptions: promisify(
    Redemptions,
    {
      redeem: call([Input.secret("code")], Input.writeOptions),
      redeemVoucher: call([Input.voucher], Input.writeOptions)
    },
    runner
  )
})
