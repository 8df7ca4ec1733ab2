import { assert, describe, it } from "@effect/vitest"
import * as AgentFlags from "@heddle/command-line/AgentFlags"
import * as CommandLine from "@heddle/command-line/CommandLine"
import * as Effect from "effect/Effect"

const limits = { memory: 4096, files: 4096 }

const read = (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  Effect.map(CommandLine.read(AgentFlags.make(limits), args, env), (line) => {
    assert(line._tag === "Values")
    return line.options.agents
  })

const agents = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>) => Effect.runSync(read(args, env))

const refusal = (...args: ReadonlyArray<string>) => Effect.runSync(Effect.flip(read(args))).message

const two = ["--agent", "claude=claude-agent-acp", "--agent", 'codex="my codex" --acp']

const nothing = { environment: [], readable: [], limits: {} }

describe("the flags of agents", () => {
  it("name several agents, the default first", () => {
    const expected = [
      { name: "claude", command: ["claude-agent-acp"], ...nothing },
      { name: "codex", command: ["my codex", "--acp"], ...nothing }
    ]
    assert.deepStrictEqual(agents(two), expected)
    assert.deepStrictEqual(
      agents([], { HEDDLE_AGENT: 'claude=claude-agent-acp\n\ncodex="my codex" --acp\n' }),
      expected
    )
  })

  it("take a command without a name as before, also one with an equals sign and commas", () => {
    const command = ["gemini", "--acp", "--models=a,b"]
    assert.deepStrictEqual(agents(["--agent", "gemini --acp --models=a,b"]), [{ command, ...nothing }])
    assert.deepStrictEqual(agents([], { HEDDLE_AGENT: "gemini --acp --models=a,b" }), [{ command, ...nothing }])
    assert.deepStrictEqual(agents(["--agent", "/opt/a=b/agent"]), [{ command: ["/opt/a=b/agent"], ...nothing }])
    assert.deepStrictEqual(agents([]), [nothing])
  })

  it("refuse a command without a name before its equals sign", () => {
    assert.match(refusal("--agent", "=cat"), /--agent: "=cat" has no name before its "="\. Give a command like/)
  })

  it("hold for every agent, or for one by its name, which wins", () => {
    const flags = ["--agent-env", "HTTPS_PROXY", "--agent-env", "claude:ANTHROPIC_API_KEY"]
    flags.push("--agent-env", "codex:OPENAI_API_KEY", "--agent-auth", "codex:api-key")
    flags.push("--agent-network", "on", "--agent-network", "claude:off", "--agent-namespaces", "codex:on")
    flags.push("--isolation", "bubblewrap", "--isolation", "codex:none", "--agent-readable", "codex:/srv/tools")
    flags.push("--agent-limit", "codex:memory=2048", "--agent-limit", "memory=1024", "--agent-limit", "files=100")
    const expected = [
      {
        name: "claude",
        command: ["claude-agent-acp"],
        environment: ["HTTPS_PROXY", "ANTHROPIC_API_KEY"],
        readable: [],
        limits: { memory: 1024, files: 100 },
        isolation: "bubblewrap",
        network: false
      },
      {
        name: "codex",
        command: ["my codex", "--acp"],
        environment: ["HTTPS_PROXY", "OPENAI_API_KEY"],
        readable: ["/srv/tools"],
        limits: { memory: 2048, files: 100 },
        signIn: "api-key",
        isolation: "none",
        network: true,
        namespaces: true
      }
    ] as const
    assert.deepStrictEqual<unknown>(agents([...two, ...flags]), expected)
    const env = {
      HEDDLE_AGENT_ENV: "HTTPS_PROXY,claude:ANTHROPIC_API_KEY,codex:OPENAI_API_KEY",
      HEDDLE_AGENT_AUTH: "codex:api-key",
      HEDDLE_AGENT_NETWORK: "on,claude:off",
      HEDDLE_AGENT_NAMESPACES: "codex:on",
      HEDDLE_ISOLATION: "bubblewrap,codex:none",
      HEDDLE_AGENT_READABLE: "codex:/srv/tools",
      HEDDLE_AGENT_LIMIT: "codex:memory=2048,memory=1024,files=100"
    }
    assert.deepStrictEqual<unknown>(agents(two, env), expected)
  })

  it("mean an agent without a name by default", () => {
    const [agent] = agents(["--agent", "mine", "--agent-auth", "default:vendor:key"])
    assert.strictEqual(agent?.signIn, "vendor:key")
  })

  it("refuse an agent that there is not, and say which there are", () => {
    assert.strictEqual(
      refusal(...two, "--agent-env", "gemini:GEMINI_API_KEY"),
      '--agent-env: "gemini:GEMINI_API_KEY" is for the agent gemini. The agents are: claude, codex. An agent gets its name from --agent NAME="COMMAND …".'
    )
    assert.match(refusal("--agent", "mine", "--isolation", "codex:none"), /is for the agent codex. .* are: default\./)
  })

  it("refuse two values where one can hold", () => {
    assert.strictEqual(
      refusal(...two, "--isolation", "none", "--isolation", "auto"),
      "--isolation: the choice is given more than once."
    )
    assert.strictEqual(
      refusal(...two, "--agent-network", "codex:on", "--agent-network", "codex:off"),
      "--agent-network: the choice is given more than once for the agent codex."
    )
    assert.strictEqual(
      refusal(...two, "--agent-limit", "codex:memory=1", "--agent-limit", "codex:memory=2"),
      "--agent-limit: memory is given more than once for the agent codex."
    )
  })

  it("refuse values that mean nothing, for one agent as for all", () => {
    assert.strictEqual(
      refusal(...two, "--isolation", "codex:maybe"),
      '--isolation: "maybe" is not one of auto, bubblewrap, none.'
    )
    assert.match(
      refusal(...two, "--agent-limit", "codex:disk=1"),
      /"disk=1" is not like memory=2048, with memory, files/
    )
    assert.match(refusal("--agent", "claude='one"), /--agent: it has a quote that is not closed/)
    assert.match(refusal(...two, "--agent-env", "codex:"), /--agent-env: "" is not the name of a variable/)
    assert.match(refusal(...two, "--agent-env", "codex=KEY"), /--agent-env: "codex=KEY" is not the name of a variable/)
  })
})
