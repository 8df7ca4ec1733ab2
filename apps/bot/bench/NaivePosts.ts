import { Client, Events, GatewayIntentBits, type TextThreadChannel } from "discord.js"
import { report } from "./Report.ts"

const [api = "", token = ""] = process.argv.slice(2)
const client = new Client({ intents: [GatewayIntentBits.Guilds, GatewayIntentBits.GuildMessages], rest: { api } })
const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve))
await client.login(token)
await ready

/** A message for each thing that the agent says or does, as soon as it does. */
const answer = async (threadId: string): Promise<void> => {
  const channel = (await client.channels.fetch(threadId)) as TextThreadChannel
  const sent: Array<Promise<unknown>> = []
  await report((piece) => void sent.push(channel.send("say" in piece ? piece.say : `-# ${piece.step}`)))
  await Promise.all(sent)
}

process.on("message", async (message: { readonly run?: { readonly thread: string } }) => {
  if (message.run === undefined) return
  await answer(message.run.thread)
  process.send?.({ done: true })
})
process.send?.({ ready: {} })
