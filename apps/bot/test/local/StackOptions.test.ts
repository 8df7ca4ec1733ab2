import { assert, describe, it } from "@effect/vitest"
import * as StackOptions from "@heddle/bot/local/StackOptions"
import * as Either from "effect/Either"

describe("the agent options of start", () => {
  it("come from flags or from the environment", () => {
    const flags = ["--agent-env", "A_KEY", "--agent-env", "A_URL", "--agent-network", "off"]
    flags.push("--agent-namespaces", "on", "--isolation", "none")
    const env = {
      HEDDLE_AGENT_ENV: "A_KEY,A_URL",
      HEDDLE_AGENT_NETWORK: "off",
      HEDDLE_AGENT_NAMESPACES: "on",
      HEDDLE_ISOLATION: "none"
    }
    for (const parsed of [StackOptions.parse(flags, {}), StackOptions.parse([], env)]) {
      const options = Either.getOrThrow(parsed)
      assert.isObject(options)
      assert.deepInclude(options, {
        agentEnv: ["A_KEY", "A_URL"],
        agentNetwork: false,
        agentNamespaces: true,
        isolation: "none"
      })
    }
  })

  it("are refused with the list of choices when the value is not one of them", () => {
    const refused = (...args: ReadonlyArray<string>) => Either.getOrThrow(Either.flip(StackOptions.parse(args, {})))
    assert.match(refused("--isolation", "maybe").message, /--isolation is "maybe"; give auto, bubblewrap, none/)
    assert.match(refused("--agent-namespaces", "yes").message, /--agent-namespaces is "yes"; give on or off/)
    assert.match(refused("--agent-network", "maybe").message, /--agent-network is "maybe"; give on or off/)
  })
})

describe("the idempotency keys of start", () => {
  it("come from a flag or from the environment, and are left to the service without them", () => {
    const read = (args: ReadonlyArray<string>, env: Record<string, string> = {}) => {
      const options = Either.getOrThrow(StackOptions.parse(args, env))
      return typeof options === "string" ? undefined : options.idempotencyKeys
    }
    assert.strictEqual(read([]), "auto")
    assert.isFalse(read(["--idempotency-keys", "false"]))
    assert.isTrue(read([], { HEDDLE_IDEMPOTENCY_KEYS: "true" }))
    const refused = Either.getOrThrow(Either.flip(StackOptions.parse(["--idempotency-keys", "maybe"], {})))
    assert.match(refused.message, /--idempotency-keys: "maybe" is not one of auto, true, false\. See --help\.$/)
    assert.match(StackOptions.help, /--idempotency-keys auto\|true\|false/)
  })
})
