import { assert, describe, it } from "@effect/vitest"
import * as BotConfig from "@heddle/bot/operate/BotConfig"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const good = {
  DISCORD_TOKEN: "discord-secret",
  HEDDLE_BASE_URL: "https://service.example",
  HEDDLE_CLIENT_ID: "app",
  HEDDLE_CLIENT_SECRET: "client-secret",
  HEDDLE_ENCRYPTION_KEY: "key",
  HEDDLE_DATA: "/tmp/x"
}

describe("BotConfig", () => {
  it.effect("reads arguments before environment variables", () =>
    Effect.gen(function* () {
      const command = yield* BotConfig.read(["--port", "0", "--public-url", "https://bot.example"], {
        ...good,
        HEDDLE_REVOCATION_PATH: "/openapi/v2/revoke",
        HEDDLE_ANSWER_DEADLINE: "90",
        HEDDLE_CHANNEL_SILENCE: "120",
        HEDDLE_PORT: "1"
      })
      assert.strictEqual(command._tag, "Run")
      if (command._tag !== "Run") return
      assert.strictEqual(command.options.port, 0)
      assert.strictEqual(command.options.answerDeadlineMs, 90_000)
      assert.strictEqual(command.options.channelSilenceMs, 120_000)
      assert.strictEqual(command.options.revocationPath, "/openapi/v2/revoke")
      assert.strictEqual(command.options.publicUrl, "https://bot.example")
      assert.strictEqual(Redacted.value(command.options.discordToken), "discord-secret")
      assert.notInclude(JSON.stringify(command), "secret")
      assert.strictEqual((yield* BotConfig.read(["--help"], {}))._tag, "Help")
    })
  )

  it.effect("reads whether the service keeps idempotency keys, and explains it", () =>
    Effect.gen(function* () {
      for (const [text, value] of [
        ["auto", "auto"],
        ["true", true],
        ["false", false]
      ] as const)
        for (const command of [
          yield* BotConfig.read(["--idempotency-keys", text], good),
          yield* BotConfig.read([], { ...good, HEDDLE_IDEMPOTENCY_KEYS: text })
        ]) {
          assert.strictEqual(command._tag, "Run")
          if (command._tag === "Run") assert.strictEqual(command.options.idempotencyKeys, value)
        }
      const refused = yield* Effect.flip(BotConfig.read(["--idempotency-keys", "maybe"], good))
      assert.match(refused.message, /--idempotency-keys: "maybe" is not one of auto, true, false\. heddle-bot --help/)
      assert.match(BotConfig.help, /--idempotency-keys auto\|true\|false[^]*HEDDLE_IDEMPOTENCY_KEYS/)
    })
  )

  const cases: ReadonlyArray<[string, Record<string, string>, ReadonlyArray<string>, RegExp]> = [
    ...Object.keys(good).map((name): [string, Record<string, string>, ReadonlyArray<string>, RegExp] => [
      `without ${name}`,
      { ...good, [name]: " " },
      [],
      new RegExp(`^${name}: it is not set\\. \\S+`)
    ]),
    ["a wrong address", { ...good, HEDDLE_BASE_URL: "here" }, [], /^HEDDLE_BASE_URL: here is not an http address/],
    ...["0", "86401", "soon", "-5"].map((deadline): (typeof cases)[number] => [
      `the answer deadline ${deadline}`,
      { ...good, HEDDLE_ANSWER_DEADLINE: deadline },
      [],
      /^HEDDLE_ANSWER_DEADLINE: .* is not a number of seconds/
    ]),
    ...["0", "86401", "soon"].map((silence): (typeof cases)[number] => [
      `the channel silence ${silence}`,
      { ...good, HEDDLE_CHANNEL_SILENCE: silence },
      [],
      /^HEDDLE_CHANNEL_SILENCE: .* is not a number of seconds/
    ]),
    ["a wrong port", { ...good, HEDDLE_PORT: "70000" }, [], /^HEDDLE_PORT: 70000 is not a port/],
    ...["//elsewhere.example/revoke", "https://elsewhere.example/revoke", "revoke", "/a?b"].map(
      (path): (typeof cases)[number] => [
        `the revocation path ${path}`,
        { ...good, HEDDLE_REVOCATION_PATH: path },
        [],
        /^HEDDLE_REVOCATION_PATH: .* is not a path/
      ]
    ),
    ["a database", { ...good, HEDDLE_DATABASE: "postgres://x" }, [], /^HEDDLE_DATABASE/],
    ["an unknown argument", good, ["--colour"], /^arguments: .*--colour/],
    ["an unknown command", good, ["docter"], /^arguments: docter is not known here\. heddle-bot --help lists them\.$/]
  ]
  for (const [name, env, args, expected] of cases) {
    it.effect(`names an invalid ${name} with the fix`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(BotConfig.read(args, env))
        assert.match(error.message, expected)
        assert.notInclude(error.message, "secret")
      })
    )
  }
})
