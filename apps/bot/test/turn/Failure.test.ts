import { assert, describe, it } from "@effect/vitest"
import {
  ChannelRefused,
  InvalidAnswer,
  SessionNotFound,
  UnsupportedContent,
  UnsupportedVersion
} from "@heddle/acp/AcpError"
import { RpcError } from "@heddle/acp/JsonRpc"
import { type Failure, remedy } from "@heddle/bot/turn/Failure"
import { chinese, english } from "@heddle/bot/messages/Translations"
import {
  AccessDenied,
  ContractViolation,
  Forbidden,
  InsufficientScope,
  InvalidRequest,
  OutcomeUnknown,
  PreconditionFailed,
  RateLimited,
  ServiceFailure,
  Unreachable
} from "@heddle/core/OpenApiError"

const failures = [
  new Unreachable({ operation: "tasks.get", reason: "the connection was refused", requestId: "r-1" }),
  new OutcomeUnknown({ operation: "tasks.get", reason: "the connection broke", requestId: "r-1" }),
  new ServiceFailure({ status: 503, code: "server_error", description: "down", requestId: "r-1" }),
  new RateLimited({ code: "rate_limited", description: "too many", requestId: "r-1" })
]

describe("an error of the agent", () => {
  const textOf = (message: string, data: unknown) => {
    const shown = remedy(new RpcError({ code: -32603, message, data }), english, "1", "unsent")
    return shown._tag === "Explain" ? shown.text : shown._tag
  }
  const quota = "You have exceeded your current quota, please check your plan."

  for (const data of [
    { details: quota },
    { details: JSON.stringify({ error: { code: 429, message: quota } }) },
    { agent: { reason: "quota", message: quota } },
    quota
  ]) {
    it(`reaches the person with its cause from ${JSON.stringify(data)}`, () => {
      assert.match(textOf("Internal error", data), /The agent reported: You have exceeded your current quota/)
      assert.match(textOf("The turn failed.", data), /The agent reported: The turn failed: You have exceeded/)
      assert.match(textOf("Internal error", data), /most likely the account at the service of its model[^]*operator/i)
    })
  }

  it("is told once where it says nothing, and reads words that are JSON", () => {
    assert.match(textOf("An error without a message", undefined), /^The agent reported: An error without a message\./)
    assert.match(textOf('{"error":{"code":401,"message":"Wrong key"}}', undefined), /The agent reported: Wrong key\./)
  })

  it("is not read as the service's for a reason that only looks like one", () => {
    assert.notMatch(textOf("words", { reason: "agent_of_change" }), /The service reported/)
    assert.match(textOf("It ended.", { reason: "agent_exited" }), /The service reported: It ended/)
  })
})

describe("a failure of the agent that the service explains", () => {
  it("says nothing beside it that may contradict it", () => {
    const message = "The agent asks for a sign-in. Nothing was charged. This task cannot go on: start a new one."
    const error = new RpcError({ code: -32603, message, data: { reason: "agent_sign_in" } })
    for (const [messages, begin] of [
      [english, "The service reported: "],
      [chinese, "智能体需要登录，或其模型的服务拒绝了它的密钥。需要由此服务的运营者更正。服务报告："]
    ] as const) {
      for (const delivery of ["unsent", "perhapsSent"] as const) {
        const shown = remedy(error, messages, "1", delivery)
        assert.strictEqual(shown._tag === "Explain" ? shown.text : shown._tag, `${begin}${message}`)
      }
    }
  })
})

describe("a turn whose service stays away", () => {
  for (const failure of failures)
    it(`after ${failure._tag} does not claim that nothing was charged, since the agent may have the prompt`, () => {
      const tried = remedy(failure, english, "1", "perhapsSent", 16)
      assert.strictEqual(tried._tag, "TryAgain")
      if (tried._tag === "Reconnect") return
      assert.notMatch(tried.text, /nothing was/i)
      assert.match(tried.text, /for 16 minutes[^]*charged as usual[^]*r-1/)
    })
})

const refusal = { code: "refused", description: "no" }
const refusals: ReadonlyArray<Failure> = [
  new AccessDenied(refusal),
  new Forbidden(refusal),
  new InvalidRequest(refusal),
  new PreconditionFailed(refusal),
  new InsufficientScope({ ...refusal, required: ["user.task.readable"] }),
  new ContractViolation({ operation: "tasks.get", path: "status" }),
  new ChannelRefused({ status: 403, description: "no" }),
  new SessionNotFound({ sessionId: "s" }),
  new UnsupportedVersion({ offered: 1, answered: 2 }),
  new InvalidAnswer({ method: "session/load", description: "no" }),
  new RpcError({ code: -32603, message: "no" }),
  new RpcError({ code: -32603, message: "no", data: { reason: "no_credits" } }),
  new UnsupportedContent({ type: "image" })
]

const textOf = (failure: Failure, messages: typeof english, delivery: "perhapsSent" | "unsent") => {
  const tried = remedy(failure, messages, "1", delivery)
  return tried._tag === "Explain" ? tried.text : assert.fail(tried._tag)
}

describe("a turn that is refused", () => {
  for (const failure of refusals) {
    it(`by ${failure._tag} while the agent may have its message says that this is charged, and invites nobody to pay twice`, () => {
      const text = textOf(failure, english, "perhapsSent")
      assert.match(text, /If your message reached the agent, its work may go on and is charged as usual\./)
      assert.notMatch(text, /nothing (more )?(is|was)|costs nothing|try again|\/task new|the button/i)
      assert.match(text, /Look at `\/task list` before you send your message again|look at `\/task list` before/)
      assert.match(
        textOf(failure, chinese, "perhapsSent"),
        /如果消息已经送达智能体，它可能会继续处理，并照常扣除积分。/
      )
    })

    it(`by ${failure._tag} before its message was sent names no button that the thread lacks`, () => {
      assert.notMatch(textOf(failure, english, "unsent"), /the button|reached the agent, its work/)
    })
  }
})
