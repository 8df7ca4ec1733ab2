import { assert, describe, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import { Client } from "../support/client.ts"
import { agent, type Started } from "../support/service.ts"
import { serviceOfTest } from "../support/suite.ts"

describe("the operator's values in an agent's environment", () => {
  const serve = serviceOfTest()
  const opened = async (started: Started) => Client.loaded(await started.task())

  it("are taken out of what the service tells of the agent's errors and last words", async () => {
    const key = 'sk-"test"-0123456789/abc'
    process.env["HEDDLE_TEST_KEY"] = key
    process.env["HEDDLE_TEST_CONFIG"] = JSON.stringify({ provider: { options: { apiKey: "nested-0123456789" } } })
    process.env["HEDDLE_TEST_SHORT"] = "short"
    const agentEnvironment = ["HEDDLE_TEST_KEY", "HEDDLE_TEST_CONFIG", "HEDDLE_TEST_SHORT"]
    const client = await opened(await serve({ agentEnvironment }))
    const { error } = await client.prompt(`stderr Error: 401 for ${key} and short\ncrash`)
    assert.match(error.message, /last words: "Error: 401 for \[value of HEDDLE_TEST_KEY\] and short"/)
    const failed = await client.prompt(`fail ${JSON.stringify({ key })} ${encodeURIComponent(key)} nested-0123456789`)
    const told = JSON.stringify(failed.error)
    assert.notMatch(told, /0123456789/)
    assert.match(told, /\[value of HEDDLE_TEST_KEY\][^]*\[value of HEDDLE_TEST_CONFIG\]/)

    const mute = await serve({
      agentCommand: agent("rubbish-key", "mute"),
      agentEnvironment,
      sandbox: { agentStart: Duration.millis(500) }
    })
    const silent = await (await opened(mute)).prompt("echo hello")
    assert.match(silent.error.message, /It wrote instead/)
    assert.notMatch(JSON.stringify(silent.error), /sk-/)
  })

  it("are taken out line by line, except plain words whose names are not secret", async () => {
    const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
    process.env["HEDDLE_TEST_PEM"] = `-----BEGIN PRIVATE KEY-----\n${line}\nend\n-----END PRIVATE KEY-----\n`
    process.env["HEDDLE_TEST_MODE"] = "read-only"
    process.env["HEDDLE_TEST_PASSWORD"] = "open-sesame"
    const agentEnvironment = ["HEDDLE_TEST_PEM", "HEDDLE_TEST_MODE", "HEDDLE_TEST_PASSWORD"]
    const client = await opened(await serve({ agentEnvironment }))
    const { error } = await client.prompt(`fail bad line ${line} at the end of a read-only disk, open-sesame`)
    assert.include(
      error.message,
      "bad line [value of HEDDLE_TEST_PEM] at the end of a read-only disk, [value of HEDDLE_TEST_PASSWORD]"
    )
    assert.notMatch(JSON.stringify(error), /MIIE|sesame/)
  })

  it("reach the agent", async () => {
    process.env["HEDDLE_TEST_KEY"] = "value"
    const client = await opened(await serve({ agentEnvironment: ["HEDDLE_TEST_KEY"] }))
    await client.prompt("env")
    assert.strictEqual(JSON.parse(client.text).HEDDLE_TEST_KEY, "value")
  })
})
