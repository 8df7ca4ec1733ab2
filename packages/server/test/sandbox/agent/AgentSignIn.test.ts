import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { Client } from "../support/client.ts"
import { agent } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

describe("agents that ask for a sign-in", () => {
  const serve = serviceOfTest()
  process.env["HEDDLE_TEST_KEY"] = "value"
  const first = async (options: Parameters<typeof serve>[0]) => {
    const started = await serve({ agentCommand: agent("auth-key"), ...options })
    const client = await Client.loaded(await started.task())
    return { client, answer: await client.prompt("echo hello") }
  }

  it("sign in by themselves with the only method that needs no person, also after a restart", async () => {
    const { client, answer } = await first({ agentEnvironment: ["HEDDLE_TEST_KEY"] })
    assert.strictEqual(answer.result?.stopReason, "end_turn", answer.error?.message)
    await client.prompt("die")
    assert.strictEqual((await client.prompt("echo again")).result.stopReason, "end_turn")
    assert.strictEqual(client.text, "helloagain")
  })

  it("sign in with the method that the operator names", async () => {
    const { answer } = await first({ agentEnvironment: ["HEDDLE_TEST_KEY"], agentSignIn: "api-key" })
    assert.strictEqual(answer.result?.stopReason, "end_turn", answer.error?.message)
  })

  it("are told with their methods, the variables and the flags when nothing was given", async () => {
    const { message } = (await first({})).answer.error
    assert.match(message, /asks for a sign-in \(Authentication required\)\. Nothing was done and nothing was charged\./)
    assert.include(message, "login (Log in: Opens a browser; needs a terminal)")
    assert.include(message, "api-key (API key; needs HEDDLE_TEST_KEY)")
    assert.match(message, /--agent-auth.*--agent-env.*This task cannot go on: .* start a new one\.$/)
    assert.notInclude(message, "on the service's machine")
  })

  it("are told with the known methods when the operator names another", async () => {
    const { message } = (await first({ agentSignIn: "password" })).answer.error
    assert.match(message, /does not know the sign-in method "password".*login \(.*api-key \(/)
  })

  it("are told with the reason when they refuse the named method, or wait for a person", async () => {
    const refused = await first({ agentSignIn: "api-key" })
    assert.match(refused.answer.error.message, /refused the sign-in by "api-key" \(HEDDLE_TEST_KEY is not set\)/)
    const waiting = await first({ agentSignIn: "login", sandbox: { agentStart: Duration.seconds(1) } })
    assert.match(waiting.answer.error.message, /did not end the sign-in by "login" in time\. Nothing was done/)
  })

  it("are told what the operator can do when each method needs a terminal", async () => {
    const { message } = (await first({ agentCommand: agent("auth-terminal") })).answer.error
    assert.match(
      message,
      /Each of them needs a terminal, which an agent here does not have, so --agent-auth cannot help/
    )
    assert.match(message, /has to pass the agent's key with --agent-env\. .*--auth-type openai/)
    assert.notMatch(message, /has to name a method/)
  })

  it("are told of the key first when no method is known to work without a person", async () => {
    const { message } = (await first({ agentCommand: agent("auth-person") })).answer.error
    assert.match(
      message,
      /iOA \(Login with iOA; the agent does not say what it needs\)\. The operator has to pass the agent's key with --agent-env\. .*--agent-auth/
    )
    assert.notMatch(message, /has to name a method/)
  })

  it("are told that their key is refused when they have one, with what they reported", async () => {
    const started = await serve({ agentCommand: agent("auth-later"), agentEnvironment: ["HEDDLE_TEST_KEY"] })
    const client = await Client.loaded(await started.task())
    const title = "Falling back. unexpected status 401 Unauthorized: invalid x-api-key, url: ws://model"
    const { error } = await client.prompt(
      `update ${JSON.stringify({ sessionUpdate: "notice", severity: "warning", title })}\nunauthorized`
    )
    assert.strictEqual(error.data.reason, "agent_sign_in")
    assert.match(
      error.message,
      /asks for a sign-in \(the key has expired\).*It reported: "[^"]*401 Unauthorized: invalid x-api-key[^"]*"\. What it had done/
    )
    assert.match(error.message, /refuses HEDDLE_TEST_KEY: it is wrong, has expired.*send your message again\.$/)
    assert.notMatch(error.message, /--agent-auth|Its sign-in methods/)
    const later = (await client.prompt("unauthorized")).error.message
    assert.match(later, /refuses HEDDLE_TEST_KEY/)
    assert.notMatch(later, /It reported/)
  })

  it("are told at a prompt, too, without a word that contradicts it", async () => {
    const started = await serve({ agentCommand: agent("auth-later") })
    const client = await Client.loaded(await started.task())
    await client.prompt("echo hello")
    const { error } = await client.prompt("unauthorized")
    assert.strictEqual(error.data.reason, "agent_sign_in")
    assert.match(
      error.message,
      /asks for a sign-in \(the key has expired\)\. What it had done until then stays; nothing/
    )
    assert.match(error.message, /api-key \(API key; needs HEDDLE_TEST_KEY\).*send your message again\.$/)
    assert.notMatch(error.message, /cannot go on|Nothing was done/)
  })
})
