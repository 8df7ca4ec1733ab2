import { Client, Events, GatewayIntentBits, type Message, type TextThreadChannel } from "discord.js"
import { type Answer, play, type Script } from "./TextSource.ts"

const [api = "", token = "", ...threads] = process.argv.slice(2)
const client = new Client({
  intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages],
  rest: { api }
})
const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve))
await client.login(token)
await ready

/** Tokens of one message: below 2,000 characters. */
const page = 450

/** The loop that most bots have: edit, wait for the edit, edit again if there is more. */
const open = (threadId: string): Omit<Answer, "threadId" | "turn"> => {
  const channel = client.channels.cache.get(threadId) as TextThreadChannel
  let text = ""
  let ended = false
  let wake = () => {}
  const loop = async () => {
    let message: Message | undefined
    for (let full = 0, said = ""; ;) {
      const words = text.split(" ").slice(0, -1)
      const next = words.slice(full * page, (full + 1) * page).join(" ")
      if (next !== "" && next !== said) {
        message = message === undefined ? await channel.send(next) : await message.edit(next)
        said = next
      } else if (words.length > (full + 1) * page) {
        full++
        message = undefined
      } else if (ended) return
      else {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    }
  }
  let over: Promise<void> | undefined
  return {
    begin: () => {
      over = loop()
    },
    grow: (newest) => {
      text = newest
      wake()
    },
    end: async () => {
      ended = true
      wake()
      await over
    }
  }
}

process.on("message", async (message: { readonly run?: Script }) => {
  if (message.run !== undefined) process.send?.({ done: await play(message.run, threads, open) })
})
process.send?.({ ready: {} })
