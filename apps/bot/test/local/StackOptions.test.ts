import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as HelpDoc from "@effect/cli/HelpDoc"
import { assert, describe, it } from "@effect/vitest"
import * as Conversation from "@heddle/bot/local/Conversation"
import * as StackOptions from "@heddle/bot/local/StackOptions"
import * as ServeCommand from "@heddle/server/cli/ServeCommand"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

describe("the agent options of start", () => {
  it("come from flags or from the environment", () => {
    const flags = ["--agent-env", "A_KEY", "--agent-env", "A_URL", "--agent-network", "off", "--agent-auth", "api-key"]
    flags.push("--agent-namespaces", "on", "--isolation", "none", "--agent-limit", "memory=2048")
    flags.push("--agent-readable", "/srv/tools", "--client-mcp-servers", "on", "--agent", "'my agent' --acp")
    const env = {
      HEDDLE_AGENT: "'my agent' --acp",
      HEDDLE_AGENT_ENV: "A_KEY,A_URL",
      HEDDLE_AGENT_AUTH: "api-key",
      HEDDLE_AGENT_NETWORK: "off",
      HEDDLE_AGENT_NAMESPACES: "on",
      HEDDLE_AGENT_READABLE: "/srv/tools",
      HEDDLE_AGENT_LIMIT: "memory=2048",
      HEDDLE_CLIENT_MCP_SERVERS: "on",
      HEDDLE_ISOLATION: "none"
    }
    for (const parsed of [StackOptions.parse(flags, {}), StackOptions.parse([], env)]) {
      const options = Either.getOrThrow(parsed)
      assert.deepStrictEqual(typeof options === "string" ? options : options.agents, {
        agents: [
          {
            command: ["my agent", "--acp"],
            environment: ["A_KEY", "A_URL"],
            signIn: "api-key",
            network: false,
            namespaces: true,
            readable: ["/srv/tools"],
            limits: { memory: 2048 },
            isolation: "none"
          }
        ],
        clientMcpServers: true
      })
    }
  })

  it("are refused with the list of choices when the value is not one of them", () => {
    const refused = (...args: ReadonlyArray<string>) => Either.getOrThrow(Either.flip(StackOptions.parse(args, {})))
    assert.match(refused("--isolation", "maybe").message, /--isolation: "maybe" is not one of auto, bubblewrap, none/)
    assert.match(refused("--agent-namespaces", "yes").message, /--agent-namespaces: "yes" is not one of on, off/)
    assert.match(
      refused("--agent-limit", "disk=1").message,
      /--agent-limit: "disk=1" is not like memory=2048, with memory/
    )
    assert.match(refused("--agent", "agent 'one").message, /--agent: it has a quote that is not closed/)
  })

  it("are all that heddle-server serve has", () => {
    const served = HelpDoc.toAnsiText(Command.getHelp(ServeCommand.command, CliConfig.defaultConfig))
    const flagsOf = (help: string) =>
      [...new Set(help.match(/--(agent[a-z-]*|isolation|client-mcp-servers)\b/g))].toSorted()
    assert.isAtLeast(flagsOf(served).length, 9)
    assert.deepStrictEqual(flagsOf(StackOptions.help), flagsOf(served))
    assert.include(StackOptions.help, "memory=4096, processes=512")
  })
})

describe("an invalid setting of start", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
    [["--prompt", "x", "--file", "/nowhere/nothing.csv"], /^--file .*nothing\.csv does not exist\. Give the path/],
    [["--approve", "maybe", "--prompt", "x"], /^--approve is "maybe"; give allow or deny\.$/],
    [["--colour"], /--colour/],
    [["--port", "99999"], /^--port is "99999"; give a port/]
  ]
  for (const [args, says] of cases)
    it.effect(`is named in one line: ${args.join(" ")}`, () =>
      Effect.gen(function* () {
        const options = yield* StackOptions.parse(args, {})
        return typeof options === "string" ? options : yield* Conversation.attach(options)
      }).pipe(
        Effect.flip,
        Effect.map(({ message, status }) => {
          assert.match(message, says)
          assert.notInclude(message.trim(), "\n")
          assert.strictEqual(status, 2)
        })
      )
    )
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
