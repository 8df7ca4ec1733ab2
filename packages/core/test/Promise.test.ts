import { afterEach, assert, describe, it } from "@effect/vitest"
import * as Heddle from "@heddle/core/promise"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { once } from "node:events"
import { inspect } from "node:util"
import * as Service from "./Service.ts"

const secret = "oa_at_of_this_test_0123456789"
const ticket = "oa_tk_of_this_test_0123456789"

const cleanups: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** A service, and a client of it, until the end of the test. */
const start = async (reply: Parameters<typeof Service.make>[0], options: Partial<Heddle.ClientOptions> = {}) => {
  const scope = Effect.runSync(Scope.make())
  const service = await Effect.runPromise(Scope.extend(Service.make(reply), scope))
  const client = Heddle.createClient({ baseUrl: service.url, accessToken: secret, ...options })
  cleanups.push(async () => {
    await client.close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })
  return { client, service }
}

/** What a promise rejects with. */
const failure = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  return assert.fail("it did not reject")
}

const ok = (data: unknown) => ({ status: 200, body: { code: 0, msg: "success", request_id: "r", data } })
const never: Service.Reply = () => undefined
const lost: Service.Reply = (response) => response.destroy()

const message = (n: number) => ({ message_id: `m${n}`, role: "assistant", content: [`text ${n}`] })
const task = { task_id: "t", status: "idle", name: "Report", link: "https://x/acp", token: ticket, expire_at: 1 }

it("gives plain values for every operation", async () => {
  const { client, service } = await start(({ method, url }) => {
    const { pathname, searchParams } = new URL(url, "http://x")
    switch (`${method} ${pathname.slice("/openapi/v2".length)}`) {
      case "GET /user/profile":
        return { status: 200, body: { nickname: "Ada", avatar: null } }
      case "POST /user/phoneverification":
        return { status: 200, body: { matched: true } }
      case "GET /credit":
        return { status: 200, body: { total_capacity_size: 10, total_capacity_used: 3 } }
      case "GET /localassistant":
        return ok({ online: true })
      case "POST /localassistant/message":
        return ok({ message_id: "m9" })
      case "GET /localassistant/message":
        return ok({ messages: searchParams.has("message_id") ? [message(2)] : [message(1)] })
      case "POST /tasks":
        return { status: 201, body: task }
      case "GET /tasks/t":
        return { status: 200, body: task }
      case "GET /tasks":
        return {
          status: 200,
          body: {
            tasks: [{ ...task, created_at: new Date().toISOString() }],
            total: 1,
            pagination: { page: 1, size: 20, total: 1 }
          }
        }
      default:
        return { status: 200, body: { status: "success", flow_no: "F", credits: 5, open_id: "o" } }
    }
  })
  const { assistant, credits, redemptions, tasks, users } = client
  assert.deepStrictEqual(await users.profile(), { nickname: "Ada" })
  assert.isTrue(await users.verifyPhone("+86 138 1234 5678"))
  assert.deepStrictEqual(await credits.quota(), { total: 10, used: 3 })
  assert.deepStrictEqual(await assistant.status(), { online: true })
  assert.strictEqual(await assistant.sendText("Hi", { idempotencyKey: "k1" }), "m9")
  assert.strictEqual(
    await assistant.answerPermission({ outcome: "selected", requestId: "q", answers: { q_0: ["a"] } }),
    "m9"
  )
  const [first] = await assistant.history({ limit: 5 })
  assert.strictEqual(Heddle.textOf(first ?? { content: [] }), "text 1")
  assert.strictEqual((await tasks.create({ prompt: "x", name: undefined }, { idempotencyKey: "k2" })).taskId, "t")
  assert.isFalse(await tasks.keepsIdempotencyKeys())
  assert.strictEqual((await tasks.get("t")).expireAt, 1)
  assert.strictEqual((await tasks.list({ page: 1, size: undefined })).pagination.size, 20)
  assert.strictEqual((await tasks.awaitChannel("t")).token.value, ticket)
  assert.strictEqual((await tasks.reconcile({ prompt: "x", name: "Report", since: Date.now() })).task?.taskId, "t")
  const redeemed = { status: "success", flowNo: "F", credits: 5, openId: "o" }
  assert.deepEqual<unknown>(await redemptions.redeem("CODE"), redeemed)
  const kept = Heddle.newIdempotencyKey()
  assert.deepEqual<unknown>(
    await redemptions.redeemVoucher({ key: "CARD01", code: "PASSWORD" }, { idempotencyKey: kept }),
    redeemed
  )
  assert.strictEqual(JSON.parse(service.seen.at(-1)?.body ?? "").request_id, kept)
  assert.deepStrictEqual(
    service.seen.flatMap(({ headers }) => headers["idempotency-key"] ?? []),
    ["k1", "k2"]
  )
  for (const { headers } of service.seen) assert.strictEqual(headers.authorization, `Bearer ${secret}`)
})

it("shows a task's token only when asked", async () => {
  const { client } = await start(() => ({ status: 200, body: task }))
  const got = await client.tasks.get("t")
  const channel = await client.tasks.awaitChannel("t")
  const shown = [got, channel].flatMap((each) => [
    JSON.stringify(each),
    inspect(each, { depth: 9, showHidden: true }),
    String(each.token),
    `${JSON.stringify({ ...each })}${inspect(structuredClone({ ...each, token: undefined }))}`
  ])
  assert.notInclude(shown.join("\n"), ticket)
  assert.strictEqual(got.token?.value, ticket)
})

describe("errors", () => {
  it("are classes with code, status, request id and retryAfter", async () => {
    const { client } = await start(
      () => ({
        status: 429,
        headers: { "retry-after": "7", "x-request-id": "r-7" },
        body: { error: "rate_limited", error_description: "Too many requests" }
      }),
      { retry: "none" }
    )
    const error = await failure(client.users.profile())
    assert.instanceOf(error, Heddle.RateLimited)
    assert.instanceOf(error, Error)
    if (!Heddle.isClientError(error)) return assert.fail("it is no client error")
    assert.strictEqual(error.name, "RateLimited")
    assert.strictEqual(error.code, "rate_limited")
    assert.strictEqual(error.status, 429)
    assert.strictEqual(error.requestId, "r-7")
    assert.strictEqual(error.retryAfter, 7)
    assert.strictEqual(error.message, "Too many requests. (request r-7) Try again in 7 s.")
  })

  it("have a code without a response, too", async () => {
    const { client, service } = await start(() => lost, { retry: "none" })
    const unknown = await failure(client.tasks.create({ prompt: "x" }))
    assert.instanceOf(unknown, Heddle.OutcomeUnknown)
    assert.propertyVal(unknown, "code", "outcome_unknown")
    const key = Heddle.newIdempotencyKey()
    const redemption = await failure(client.redemptions.redeem("CODE", { idempotencyKey: key }))
    assert.instanceOf(redemption, Heddle.RedemptionOutcomeUnknown)
    assert.propertyVal(redemption, "code", "redemption_outcome_unknown")
    assert.propertyVal(redemption, "idempotencyKey", key)
    assert.propertyVal(await failure(client.redemptions.redeem(" ")), "code", "invalid_redemption")
    assert.lengthOf(service.seen, 2)
  })

  it("refuse wrong arguments before sending, without showing them", async () => {
    const { client, service } = await start(() => ({ status: 200, body: {} }))
    const { assistant, redemptions, tasks, users } = client
    const wrong: any = { toString: () => secret }
    for (const attempt of [
      () => tasks.get(""),
      () => tasks.create(wrong),
      () => tasks.reconcile({ prompt: "x", since: new Date(Number.NaN) }),
      () => users.verifyPhone(wrong),
      () => assistant.sendText(wrong),
      () => assistant.answerPermission(wrong),
      () => redemptions.redeem(wrong),
      () => redemptions.redeemVoucher(wrong)
    ]) {
      const error = await failure(attempt())
      assert.instanceOf(error, TypeError)
      assert.notInclude(inspect(error), secret)
    }
    assert.lengthOf(service.seen, 0)
    assert.throws(
      () => Heddle.createClient({ baseUrl: "http://example.com", accessToken: secret }),
      Heddle.InvalidBaseUrl
    )
  })
})

describe("options of a call", () => {
  it("reach the request, and win over the client's", async () => {
    const { client, service } = await start(() => ({ status: 503 }), {
      retry: "none",
      headers: { "x-a": "1", "x-b": "1" }
    })
    await failure(client.users.profile())
    await failure(client.users.profile({ retry: 2, headers: { "x-b": "2", authorization: "no" } }))
    assert.deepStrictEqual(
      service.seen.map(({ headers }) => [headers["x-a"], headers["x-b"], headers.authorization]),
      [
        ["1", "1", `Bearer ${secret}`],
        ["1", "2", `Bearer ${secret}`],
        ["1", "2", `Bearer ${secret}`]
      ]
    )
  })

  it("end a call in time", async () => {
    const { client } = await start(() => never)
    const error = await failure(client.users.profile({ timeoutMs: 20, retry: "none" }))
    assert.instanceOf(error, Heddle.Unreachable)
  })

  it("use the fetch that is given", async () => {
    const asked: Array<string> = []
    const { client } = await start(() => ({ status: 200, body: { nickname: "Ada" } }), {
      fetch: (input, init) => {
        asked.push(String(input))
        return fetch(input, init)
      }
    })
    await client.users.profile()
    assert.lengthOf(asked, 1)
  })
})

describe("a signal", () => {
  it("ends a call with its reason and closes the connection", async () => {
    const { client, service } = await start(() => never)
    const controller = new AbortController()
    const reason = new Error("enough")
    const asked = once(service.server, "request")
    const call = failure(client.users.profile({ signal: controller.signal }))
    const [, response] = await asked
    const closed = once(response, "close")
    controller.abort(reason)
    assert.strictEqual(await call, reason)
    await closed
  })

  it("that is aborted prevents the call", async () => {
    const { client, service } = await start(() => never)
    const error = await failure(client.users.profile({ signal: AbortSignal.abort() }))
    assert.propertyVal(error, "name", "AbortError")
    assert.lengthOf(service.seen, 0)
  })

  it("ends an iteration with its reason", async () => {
    const { client } = await start(() => ok({ messages: [] }))
    const controller = new AbortController()
    const iterator = client.assistant.since("m", { signal: controller.signal })[Symbol.asyncIterator]()
    const waiting = failure(iterator.next())
    controller.abort("enough")
    assert.strictEqual(await waiting, "enough")
    assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
  })
})

describe("iterables", () => {
  it("return all items, and start again with each loop", async () => {
    const { client } = await start(({ url }) => {
      const page = Number(new URL(url, "http://x").searchParams.get("page"))
      const tasks = [{ task_id: `t${page}`, status: "idle" }]
      return { status: 200, body: { tasks, total: 3, pagination: { page, size: 1, total: 3 } } }
    })
    const all = client.tasks.all()
    for (const _ of [1, 2]) {
      const ids: Array<string> = []
      for await (const { taskId } of all) ids.push(taskId)
      assert.deepStrictEqual(ids, ["t1", "t2", "t3"])
    }
  })

  it("send no request after a break", async () => {
    const { client, service } = await start((_, nth) => ok({ messages: [message(nth * 2), message(nth * 2 + 1)] }))
    const got: Array<string> = []
    for await (const each of client.assistant.since("m", { poll: { initialIntervalMs: 1 } })) {
      got.push(each.messageId)
      if (got.length === 3) break
    }
    assert.deepStrictEqual(got, ["m2", "m3", "m4"])
    assert.lengthOf(service.seen, 2)
  })

  it("close the connection on which they wait", async () => {
    const { client, service } = await start(() => never)
    const iterator = client.assistant.since("m")[Symbol.asyncIterator]()
    const asked = once(service.server, "request")
    const waiting = iterator.next()
    const [, response] = await asked
    const closed = once(response, "close")
    assert.deepStrictEqual(await iterator.return?.(), { done: true, value: undefined })
    assert.deepStrictEqual(await waiting, { done: true, value: undefined })
    await closed
  })

  it("reject with the error of the service and end", async () => {
    const { client } = await start(() => ({ status: 403, body: { error: "insufficient_scope" } }))
    const iterator = client.tasks.all()[Symbol.asyncIterator]()
    assert.instanceOf(await failure(iterator.next()), Heddle.InsufficientScope)
    assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
  })
})

describe("the access token", () => {
  const only =
    (token: string): Parameters<typeof Service.make>[0] =>
    ({ headers }) =>
      headers.authorization === `Bearer ${token}` ? { status: 200, body: { nickname: "Ada" } } : { status: 401 }

  it("comes from a function, which is called again when the service refuses it", async () => {
    const tokens = ["a", "b"]
    const { client, service } = await start(only("b"), { accessToken: async () => tokens.shift() ?? "b" })
    await client.users.profile()
    assert.lengthOf(service.seen, 2)
    const refusal = { status: 401, body: { error: "invalid_token", error_description: "expired", request_id: "r-3" } }
    for (const accessToken of [() => "a", "a", { current: () => "a", renew: () => "a" }]) {
      const { client: stuck } = await start(() => refusal, { accessToken })
      const error = await failure(stuck.users.profile())
      assert.instanceOf(error, Heddle.Reauthorize)
      const told: object = { ...error }
      assert.deepInclude(told, { code: "reauthorize", status: 401, requestId: "r-3", description: "expired" })
    }
  })

  it("is renewed once for all calls that were refused", async () => {
    const failed: Array<string> = []
    let token = "a"
    const { client } = await start(only("b"), {
      accessToken: {
        current: () => token,
        renew: async (refused) => {
          failed.push(refused)
          await new Promise((resolve) => setTimeout(resolve, 50))
          return (token = "b")
        }
      }
    })
    await Promise.all(Array.from({ length: 5 }, () => client.users.profile()))
    assert.deepStrictEqual(failed, ["a"])
  })

  it("rejects the call with the error of its source", async () => {
    const reason = new Error("no network")
    const { client, service } = await start(only("b"), { accessToken: () => Promise.reject(reason) })
    assert.strictEqual(await failure(client.users.profile()), reason)
    assert.lengthOf(service.seen, 0)
  })
})

describe("close", () => {
  it("ends calls under way and refuses further ones", async () => {
    const { client, service } = await start(() => never)
    const asked = once(service.server, "request")
    const call = failure(client.users.profile())
    const [, response] = await asked
    const closed = once(response, "close")
    await client[Symbol.asyncDispose]()
    assert.instanceOf(await call, Heddle.ClientClosed)
    await closed
    assert.instanceOf(await failure(client.users.profile()), Heddle.ClientClosed)
    await client.close()
  })
})
