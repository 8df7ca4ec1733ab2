// The emulator as its own program, which also acts for its people: each message of the parent is one act.
import { type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"
import { signIn } from "@heddle/bot/local/SignIn"
import * as Effect from "effect/Effect"
import { account } from "../RealStack.ts"
import { buttonsOf, confirm, press } from "../Stack.ts"

const options: EmulatorOptions = JSON.parse(process.env["HEDDLE_TEST_DISCORD"] ?? "")
const emulator = await startEmulator(options)
const you = emulator.user()
const command = async (name: string, values: Parameters<typeof you.command>[2] = {}) =>
  (await you.command(emulator.channelId, name, values)).settled()
const link = (message: Parameters<typeof confirm>[1]) =>
  confirm(emulator, message, (url) => Effect.runPromise(signIn(url, account)))

const acts: Record<string, (...values: ReadonlyArray<string>) => unknown> = {
  /** Connects the account and allows it to create tasks. */
  connect: async () => {
    await link(await command("connect"))
    const lacking = await command("task new", { prompt: "echo lacking" })
    const [button] = buttonsOf(lacking)
    if (button !== undefined) await link(await press(you, lacking, button.custom_id ?? ""))
  },
  start: (prompt = "") => command("task new", { prompt }),
  threads: () => emulator.threads().map(({ id }) => id),
  send: async (threadId = "", text = "") => (await you.send(threadId, text)).id,
  transcript: (threadId = "") => emulator.transcript(threadId)
}

process.on("message", ({ act, id, values }: { act: string; id: number; values: ReadonlyArray<string> }) => {
  Promise.resolve()
    .then(() => acts[act]?.(...values))
    .then(
      (result) => process.send?.({ id, result }),
      (error: unknown) => process.send?.({ id, error: String(error) })
    )
})
process.send?.({ ready: { api: emulator.api, botToken: emulator.botToken } })
