import type { Actor } from "@heddle/discord-emulator"
import { confirm, type Stack, startStack } from "./Stack.ts"

/** The first is the owner of the server, too. */
export const names = ["Admin", "Owner", "Friend", "Member"] as const
export type Name = (typeof names)[number]

/** What the agent asks in the thread of a task that says "ask". */
export const question = {
  toolCallId: "q1",
  title: "Ask",
  rawInput: { questions: [{ question: "One?", options: ["a", "b"] }, { question: "Two?" }] }
}

const script: Parameters<typeof startStack>[0] = async (turn) => {
  if (turn.text === "ask") await turn.ask(question)
  else turn.say(`Done: ${turn.text}.`)
  return "end_turn"
}

/** Connects a person's account. */
export const connect = async ({ emulator }: Stack, who: Actor) => {
  await confirm(emulator, await (await who.command(emulator.channelId, "connect")).settled(), undefined, who)
}

/** Starts a task by a message that mentions the bot; gives its thread. */
export const startedByMention = async ({ emulator, service }: Stack, who: Actor, prompt: string) => {
  const before = service.prompts.length
  const { id } = await who.send(emulator.channelId, `<@${emulator.applicationId}> ${prompt}`)
  await emulator.waitFor(() => service.prompts.length > before && emulator.threads().find((each) => each.id === id))
  return id
}

/** Runs a test among an admin, the connected owner of tasks, and two others. */
export const among = async (
  use: (stack: Stack, people: Record<Name, Actor>) => Promise<void>,
  own: Parameters<typeof startStack>[0] = script,
  more: Parameters<typeof startStack>[1] = {}
) => {
  const stack = await startStack(own, { ...more, emulator: { users: names } })
  try {
    const people = Object.fromEntries(names.map((name) => [name, stack.emulator.user(name)]))
    await connect(stack, people["Owner"]!)
    await use(stack, people as Record<Name, Actor>)
  } finally {
    await stack.close()
  }
}
