import { Client, GatewayIntentBits, Partials, type ClientOptions } from "discord.js"
import { type Emulator, type EmulatorOptions, startEmulator } from "@heddle/discord-emulator"

/** An emulator with a logged-in, unpatched discord.js client; both are gone when the scope ends. */
export interface Stage {
  readonly emulator: Emulator
  readonly client: Client<true>
  readonly close: () => Promise<void>
}

const intents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.GuildMessageReactions,
  GatewayIntentBits.GuildMessageTyping,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent
]

/** Logs a client in at an emulator and waits until it has the guild. */
export const login = async (emulator: Emulator, options: Partial<ClientOptions> = {}): Promise<Client<true>> => {
  const client = new Client({
    intents,
    partials: [Partials.Channel, Partials.Message],
    rest: { api: emulator.api },
    ...options
  })
  const ready = new Promise<void>((resolve) => client.once("clientReady", () => resolve()))
  await client.login(emulator.botToken)
  await ready
  return client as Client<true>
}

/** Starts an emulator without limits and a client. */
export const stage = async (options: EmulatorOptions = {}): Promise<Stage> => {
  const emulator = await startEmulator({ limits: "fast", ...options })
  const client = await login(emulator)
  return {
    emulator,
    client,
    close: async () => {
      await client.destroy()
      await emulator.close()
    }
  }
}
