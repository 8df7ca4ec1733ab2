import * as JsonRpc from "@heddle/acp/JsonRpc"
import { assert, describe, it } from "@effect/vitest"

const kindOf = (text: string) => {
  const [message] = JsonRpc.parse(text) ?? []
  if (message === undefined) return "nothing"
  if (JsonRpc.isRequest(message)) return "request"
  if (JsonRpc.isNotification(message)) return "notification"
  return JsonRpc.isFailure(message) ? "failure" : "success"
}

describe("JsonRpc", () => {
  it.each([
    ['{"jsonrpc":"2.0","id":0,"method":"m"}', "request"],
    ['{"jsonrpc":"2.0","id":null,"method":"m"}', "request"],
    ['{"jsonrpc":"2.0","id":"a","method":"m","params":[]}', "request"],
    ['{"jsonrpc":"2.0","method":"m"}', "notification"],
    ['{"jsonrpc":"2.0","id":0,"result":null}', "success"],
    ['{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}', "failure"],
    ['{"jsonrpc":"2.0","id":1,"result":{},"error":null}', "success"],
    ['{"jsonrpc":"2.0","id":1,"method":null,"params":null,"result":null,"error":null}', "success"],
    ['{"jsonrpc":"2.0","id":1,"method":null,"result":null,"error":{"code":1,"message":"m"}}', "failure"],
    ['{"jsonrpc":"2.0","id":1,"method":"m","result":null,"error":null}', "request"],
    ['{"jsonrpc":"2.0","method":"m","error":null}', "notification"],
    ['{"jsonrpc":"2.0","id":1,"error":"boom"}', "failure"],
    ['{"jsonrpc":"2.0","id":1,"error":null}', "failure"],
    ['{"jsonrpc":"2.0","id":1}', "nothing"],
    ['{"jsonrpc":"2.0","id":{},"method":"m"}', "nothing"],
    ['{"method":5}', "nothing"],
    ['{"result":1}', "nothing"],
    ['"text"', "nothing"],
    ["null", "nothing"],
    ["[]", "nothing"],
    ["{", "nothing"],
    ["", "nothing"]
  ])("takes %s for a %s", (text, kind) => {
    assert.strictEqual(kindOf(text), kind)
  })

  it("settles a call by an error of any shape, with what it says", () => {
    const messageOf = (error: unknown) => {
      const message = JsonRpc.fromJson({ jsonrpc: "2.0", id: 1, error })
      assert.isTrue(message !== undefined && "error" in message)
      return JsonRpc.RpcError.fromObject((message as JsonRpc.Failure).error).message
    }
    assert.strictEqual(messageOf("boom"), "boom")
    for (const error of [true, 7, ["boom"], {}]) assert.match(messageOf(error), /without a message/)
  })

  it("explains an error by its words, also where they are JSON or say nothing themselves", () => {
    const explain = (error: unknown) => {
      const message = JsonRpc.fromJson({ jsonrpc: "2.0", id: 1, error }) as JsonRpc.Failure
      return JsonRpc.RpcError.fromObject(message.error).explanation
    }
    const gemini = JSON.stringify({ error: { code: 401, message: "Incorrect API key provided", status: "INTERNAL" } })
    assert.strictEqual(explain({ code: 401, message: gemini }), "Incorrect API key provided")
    const nested = JSON.stringify({ code: -32603, message: "Internal error", data: { details: "401 Wrong key" } })
    assert.strictEqual(explain({ code: 1, message: nested }), "401 Wrong key")
    for (const status of ["429 ", "[Server] 429: "])
      assert.strictEqual(explain({ code: 1, message: `${status}${gemini}` }), `${status}Incorrect API key provided`)
    assert.strictEqual(explain({ code: 1, message: 'No {"message":"x"} here' }), 'No {"message":"x"} here')
    assert.strictEqual(explain({ code: 1, message: "[1] is out of range" }), "[1] is out of range")
    assert.strictEqual(
      explain({ code: 1, data: { details: "You have exceeded your quota" } }),
      "You have exceeded your quota"
    )
    assert.strictEqual(explain({}), "An error without a message")
  })

  it("reads a batch and keeps fields that it does not know", () => {
    const messages = [
      { jsonrpc: "2.0", method: "a", _meta: { traceparent: "x" } },
      { jsonrpc: "2.0", id: 1, result: {} }
    ]
    assert.deepStrictEqual<unknown>(JsonRpc.parse(JSON.stringify([...messages, 5])), messages)
  })

  it("answers undefined results with null, so that the answer is one", () => {
    assert.strictEqual(kindOf(JSON.stringify(JsonRpc.success(0, undefined))), "success")
  })

  it("leaves out what is nested so deep that nothing could walk it", () => {
    const nested = (levels: number) => `{"method":"m","params":${"[".repeat(levels)}${"]".repeat(levels)}}`
    assert.lengthOf(JsonRpc.parse(nested(JsonRpc.maxDepth - 1)) ?? [], 1)
    assert.isUndefined(JsonRpc.parse(nested(JsonRpc.maxDepth)))
    assert.isUndefined(JsonRpc.parse(nested(100_000)))
    const [answer] = JsonRpc.parse(nested(100_000).replace('"method":"m","params"', '"id":7,"result"')) ?? []
    assert.isTrue(answer !== undefined && JsonRpc.isResponse(answer) && JsonRpc.isFailure(answer) && answer.id === 7)
  })
})
