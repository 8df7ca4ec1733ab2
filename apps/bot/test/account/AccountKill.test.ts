import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { signIn } from "@heddle/bot/local/SignIn"
import { knownScopes } from "@heddle/core/domain/Scope"
import { freePort } from "@heddle/test-support/FreePort"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { account, withRealStack } from "../support/RealStack.ts"
import { buttonsOf, linkOf } from "../support/Stack.ts"

const bin = fileURLToPath(new URL("../../bin/heddle-bot.js", import.meta.url))
const rounds = Number(process.env["HEDDLE_ROUNDS"] ?? 1)
const flow = /Reference: `([^`]+)`/

/** Waits for something that Discord does not tell of. */
const until = async (holds: () => boolean) => {
  for (let left = 600; !holds(); left--) {
    if (left === 0) throw new Error("it did not come about")
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

describe("a killed bot", () => {
  it(
    "completes every step of connecting and redeeming once, and ends replaced grants",
    () =>
      withRealStack(
        async ({ emulator, folder, proxy, run, server, waitForPrivateText, you }) => {
          const port = await freePort()
          const { clientId, clientSecret } = await run(
            Effect.orDie(
              server.applications.ensure({
                name: "Bot",
                redirectUris: [`http://127.0.0.1:${port}/oauth/callback`],
                scopes: knownScopes
              })
            )
          )
          let child: ChildProcess | undefined
          const start = async () => {
            child = spawn(process.execPath, [bin], {
              env: {
                PATH: process.env["PATH"] ?? "",
                DISCORD_TOKEN: emulator.botToken,
                DISCORD_API: emulator.api,
                HEDDLE_BASE_URL: proxy.url,
                HEDDLE_CLIENT_ID: clientId,
                HEDDLE_CLIENT_SECRET: Redacted.value(clientSecret),
                HEDDLE_ENCRYPTION_KEY: Buffer.alloc(32, 3).toString("base64"),
                HEDDLE_DATA: join(folder, "bot"),
                HEDDLE_PORT: String(port),
                HEDDLE_REVOCATION_PATH: "/openapi/v2/revoke"
              },
              stdio: ["ignore", "pipe", "inherit"]
            })
            await once(createInterface({ input: child.stdout! }), "line")
          }
          const kill = async () => {
            const ended = once(child!, "close")
            child!.kill("SIGKILL")
            await ended
          }
          const restart = async () => {
            await kill()
            await start()
          }
          const ask = async (path: string) => (await you.command(emulator.channelId, path)).settled()
          // The bot is ready before its commands are registered.
          const registered = (left = 100): ReturnType<typeof ask> =>
            ask("connect").catch(async (error: unknown) => {
              if (left === 0) throw error
              await new Promise((resolve) => setTimeout(resolve, 100))
              return registered(left - 1)
            })
          const link = async (
            message: Awaited<ReturnType<typeof ask>>,
            between: () => Promise<void>,
            outcome = /Your account is connected/
          ) => {
            await between()
            const code = await Effect.runPromise(signIn(linkOf(message), account))
            await between()
            const form = await you.press(emulator.channelId, message.id, "c2:code")
            await between()
            const said = await (await you.submit(form, { code })).settled()
            assert.match(said.content, outcome)
          }
          try {
            await start()
            await link(await registered(), restart)
            const lacking = await ask("redeem code")
            const more = await you.press(emulator.channelId, lacking.id, buttonsOf(lacking)[0]!.custom_id)
            await link(await more.settled(), async () => {}, /This bot may now redeem codes for you/)

            for (let round = 0; round < rounds; round++) {
              const [code] = await run(server.redemptionCodes.create({ credits: 10 }))
              const form = await you.command(emulator.channelId, "redeem code")
              proxy.state.fate = (_, path) => (path.endsWith("/redemptions") ? "hold" : "pass")
              const sent = await you.submit(form, { code: Redacted.value(code!) })
              await until(() => proxy.state.lost.length > round)
              await kill()
              proxy.state.fate = () => "pass"
              await start()
              const flowNo = /"flow_no":"([^"]+)"/.exec(proxy.state.lost[round]!)![1]!
              await waitForPrivateText(new RegExp(flowNo))
              assert.strictEqual(flow.exec((await sent.settled()).content)?.[1], flowNo)
            }
            const credit = await ask("credit")
            assert.match(
              credit.embeds[0]?.description ?? "",
              new RegExp(`${(1000 + 10 * rounds).toLocaleString("en")}\\*\\* left`)
            )

            const revoked = () => proxy.state.seen.filter(({ path }) => path.endsWith("/revoke"))
            proxy.state.fate = (_, path) => (path.endsWith("/revoke") ? "hold" : "pass")
            void you.command(emulator.channelId, "disconnect")
            await until(() => revoked().length === 1)
            await kill()
            proxy.state.fate = () => "pass"
            await start()
            await until(() => revoked().length === 2)
            assert.strictEqual(revoked()[1]!.body, revoked()[0]!.body)
            assert.match((await ask("credit")).content, /not connected/)
          } finally {
            if (child?.exitCode === null && child.signalCode === null) await kill()
          }
        },
        { bot: "later" }
      ),
    90_000 + rounds * 30_000
  )
})
