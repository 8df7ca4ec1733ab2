import { ActorError, type Emulator } from "@heddle/discord-emulator"
import { buttonsOf } from "../Stack.ts"
import type { startBotProcess } from "./BotProcess.ts"
import type { SessionService } from "./SessionService.ts"

type Message = ReturnType<Emulator["messages"]>[number]

/** How the bot begins to tell that something is not known or can no longer be done, and what a person's choice led to. */
const doubts =
  /It is not known whether (the agent got this message|your task was started)|⚠️ (Answer not confirmed|Can no longer be answered): |Your task is running in/

/** Whether a message tells of something that is not known. */
export const isDoubt = ({ content, embeds }: Message): boolean =>
  doubts.test([content, ...embeds.flatMap(({ description, title }) => [title, description])].join("\n"))

/**
 * A person who is told that something is not known, until `stop` is called: they look, and send once more only what is
 * not there.
 */
export const decideDoubts = (session: {
  readonly emulator: Emulator
  readonly bot: Awaited<ReturnType<typeof startBotProcess>>
  readonly service: SessionService
}) => {
  const { bot, emulator, service } = session
  const you = emulator.user()
  const looked = new Set<string>()
  const decided: Array<string> = []
  const press = async (what: string, { channel_id, id }: Message, customId: string) => {
    await bot.up()
    try {
      await you.press(channel_id, id, customId)
      decided.push(what)
    } catch (error) {
      // A dead bot answers no click.
      if (!(error instanceof ActorError || error instanceof TypeError)) throw error
    }
  }
  const decideStart = async (message: Message, button: (label: string) => string | undefined) => {
    const prompt = message.message_reference === undefined ? "alpha" : "beta"
    const isThere = service.tasks().includes(prompt)
    const label = looked.has(prompt) && !isThere ? "Send once more" : "Look again"
    const customId = button(label)
    if (customId === undefined) return
    looked.add(prompt)
    await press(`${label}: ${prompt}`, message, customId)
  }
  const decideMessage = async (message: Message, button: (label: string) => string | undefined) => {
    const customId = button("Send it")
    if (customId === undefined) return
    const sent = emulator.messages(message.channel_id).find(({ id }) => id === customId.slice("s1:".length))
    const prompt = sent?.content ?? (message.channel_id === emulator.threads()[0]?.id ? "alpha" : "beta")
    if (!service.prompts().includes(prompt)) await press(`Send it: ${prompt}`, message, customId)
  }
  const decide = async () => {
    const places = [emulator.channelId, ...emulator.threads().map(({ id }) => id)]
    const messages = [...places.flatMap((id) => emulator.messages(id)), ...you.ephemerals(emulator.channelId)]
    for (const message of messages.filter(isDoubt)) {
      const buttons = buttonsOf(message)
      const button = (label: string) => buttons.find((each) => each.label === label)?.custom_id
      await decideStart(message, button)
      await decideMessage(message, button)
    }
  }
  const over = { isOver: false }
  const done = (async () => {
    while (!over.isOver) {
      await decide()
      await new Promise((resolve) => setTimeout(resolve, 1000))
    }
  })()
  return {
    decided,
    done,
    stop: async () => {
      over.isOver = true
      await done
    }
  }
}
