import type * as Context from "effect/Context"
import type { Assistant } from "../../Assistant.ts"
import type { Credits } from "../../Credits.ts"
import type { Redemptions } from "../../Redemptions.ts"
import type { Tasks } from "../../Tasks.ts"
import type { Users } from "../../Users.ts"
import type { Paged } from "../Pages.ts"
import * as Input from "./Input.ts"
import { call, iterate, type Promisify, promisify } from "./Promisify.ts"
import type { Runner } from "./Runner.ts"

/** The services of a client. */
export interface Services {
  readonly users: Context.Tag.Service<Users>
  readonly credits: Context.Tag.Service<Credits>
  readonly assistant: Paged<Context.Tag.Service<Assistant>>
  readonly tasks: Paged<Context.Tag.Service<Tasks>>
  readonly redemptions: Context.Tag.Service<Redemptions>
}

/** The operations of the Open API, one group for each service. */
export interface Groups {
  readonly users: Promisify<Context.Tag.Service<Users>>
  readonly credits: Promisify<Context.Tag.Service<Credits>>
  readonly assistant: Promisify<Context.Tag.Service<Assistant>>
  readonly tasks: Promisify<Context.Tag.Service<Tasks>>
  readonly redemptions: Promisify<Context.Tag.Service<Redemptions>>
}

export const make = (services: Services, runner: Pick<Runner, "run" | "iterate">): Groups => ({
  users: promisify<Context.Tag.Service<Users>>(
    services.users,
    { profile: call(), verifyPhone: call([Input.secret("number")]) },
    runner
  ),
  credits: promisify<Context.Tag.Service<Credits>>(services.credits, { quota: call() }, runner),
  assistant: promisify<Context.Tag.Service<Assistant>>(
    services.assistant,
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
  tasks: promisify<Context.Tag.Service<Tasks>>(
    services.tasks,
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
  redemptions: promisify<Context.Tag.Service<Redemptions>>(
    services.redemptions,
    {
      redeem: call([Input.secret("code")], Input.writeOptions),
      redeemVoucher: call([Input.voucher], Input.writeOptions)
    },
    runner
  )
})
