import type { Actor } from "@heddle/discord-emulator"
import { assert } from "@effect/vitest"
import { english } from "@heddle/bot/messages/Translations"
import { outcome } from "../support/Outcome.ts"
import { names } from "../support/People.ts"
import { rest } from "../support/Rest.ts"
import type { Stack } from "../support/Stack.ts"

/** The people of the table: the two last ones have a role each. */
export const everybody = [...names, "Staff", "Barred"] as const
export type Somebody = (typeof everybody)[number]

interface Places {
  readonly idle: string
  readonly asking: string
  readonly forum: string
  readonly hidden: string
  /** Forms of the card that were opened when everybody might answer. */
  readonly forms: ReadonlyMap<string, Parameters<Actor["submit"]>[0]>
}

/** Everything that a person can do, in the order of the columns below. */
export const probes = (stack: Stack, ownerId: string, { asking, forms, forum, hidden, idle }: Places) => {
  const { emulator } = stack
  const card = () => cardIn(stack, asking)
  const prefix = prefixOf(card())
  const done = (words: string, ...expected: ReadonlyArray<RegExp | string>) => outcome(ownerId, words, expected)
  /** Uses the card until it says something else, or the person hears why not; then puts it back. One after the other. */
  let last: Promise<unknown> = Promise.resolve()
  const onCard = (who: Actor, use: () => Promise<unknown>) => {
    const mine = last.then(() => useCard(who, use))
    last = mine.catch(() => undefined)
    return mine
  }
  const useCard = async (who: Actor, use: () => Promise<unknown>) => {
    const before = who.ephemerals(asking).length
    await use()
    const words = await emulator.waitFor(
      () => who.ephemerals(asking)[before]?.content ?? (JSON.stringify(card()).includes("Question 2 of 2") && "done"),
      { what: "a word or another question" }
    )
    if (words === "done") {
      await who.press(asking, card().id, `${prefix}:g:0:0`)
      await emulator.waitFor(() => JSON.stringify(card()).includes("Question 1 of 2"), { what: "the first question" })
    }
    return done(words, "done")
  }
  const told = async (asked: ReturnType<Actor["command"]>, ...expected: ReadonlyArray<RegExp | string>) =>
    done((await (await asked).settled()).content, ...expected)
  /** What the bot says to a message that starts a task: to its author, or in the thread of the task. */
  const started = async (channelId: string, messageId: string) => {
    const words = await emulator.waitFor(
      () =>
        emulator.messages(channelId).find((each) => each.message_reference?.message_id === messageId)?.content ??
        (emulator.threads().some(({ id }) => id === messageId) &&
          emulator.messages(messageId).find(({ content }) => content.startsWith("-# Runs on the account"))?.content),
      { what: "a word of the bot" }
    )
    const [charged = ""] = english.access.headerLine(ownerId, "everyone").split(". ")
    return done(words, new RegExp(`^${charged}\\. `))
  }
  const running = /^Your task is running in <#\d+>\.$/
  return [
    // Commands in the thread of a task, and what is suggested for one.
    (who) => told(who.command(idle, "task status"), /^\*\*idle\*\* is \*\w+\*\. /),
    (who) => told(who.command(idle, "task stop"), ...Object.values(english.stop)),
    async (who) => {
      const suggested = await who.autocomplete(idle, "artifacts open", { name: "" }, "name")
      if (suggested.length === 0) return "-"
      assert.deepEqual(suggested, [{ name: "Plan", value: "#1" }])
      return "+"
    },
    // A button, a list and a form of a card.
    (who) => onCard(who, () => who.press(asking, card().id, `${prefix}:g:1:0`)),
    (who) => onCard(who, () => who.select(asking, card().id, `${prefix}:s:0:0`, ["0"])),
    async (who) => {
      const result = await who.press(asking, card().id, `${prefix}:w:0`)
      return result.type === "modal" ? "+" : done(result.message?.content ?? "")
    },
    (who) => onCard(who, () => who.submit(forms.get(who.id)!, { text: "mine" })),
    // What starts a task.
    (who) => told(who.command(emulator.channelId, "task new", { prompt: "by command" }), running),
    async (who) => {
      const { id } = await who.send(emulator.channelId, `<@${emulator.applicationId}> by mention`)
      return started(emulator.channelId, id)
    },
    async (who) => {
      const { id } = await who.post(forum, "A post", "by post")
      return started(id, id)
    },
    async (who) => {
      const { id } = await who.send(emulator.channelId, "by menu")
      return told(who.messageCommand(emulator.channelId, id, startWithMessage), running)
    },
    // The same from a private thread.
    (who) => told(who.command(hidden, "task new", { prompt: "a secret by command" })),
    (who) => told(who.command(hidden, "task open", { task: "any" })),
    async (who) => {
      const { id } = await who.send(hidden, `<@${emulator.applicationId}> a secret by mention`)
      return started(hidden, id)
    },
    async (who) => {
      const { id } = await who.send(hidden, "a secret by menu")
      return told(who.messageCommand(hidden, id, startWithMessage))
    },
    // The settings, and what the bot has nothing for.
    async (who) => {
      const { content, embeds } = await (await who.command(emulator.channelId, "settings show")).settled()
      return done(content === "" ? (embeds[0]?.title ?? "") : content, english.settings.title)
    },
    async (who) => done((await who.userCommand(emulator.channelId, ownerId, "Look at")).message?.content ?? "")
  ] satisfies ReadonlyArray<(who: Actor) => Promise<string>>
}

const startWithMessage = "Start a task with this message"

/** The newest message of a thread that has controls, and what the ids of a card's controls begin with. */
export const cardIn = ({ emulator }: Stack, threadId: string) =>
  emulator.messages(threadId).findLast(({ components }) => (components ?? []).length > 0)!
export const prefixOf = ({ components }: ReturnType<typeof cardIn>) =>
  /"(q1:[^:"]+):/.exec(JSON.stringify(components))?.[1] ?? ""

/** Shows every command to everybody, as an admin can do in the settings of the server. */
export const showToEverybody = async ({ emulator }: Stack) => {
  const path = `/applications/${emulator.applicationId}/guilds/${emulator.guildId}/commands`
  const commands = (await rest(emulator, "GET", path)) as ReadonlyArray<Record<string, unknown>>
  await rest(
    emulator,
    "PUT",
    path,
    // What Discord adds to a command is none of what it takes.
    [
      ...commands.map(({ application_id: _a, guild_id: _g, nsfw: _n, version: _v, ...each }) => ({
        ...each,
        default_member_permissions: null
      })),
      // One that the bot has nothing for.
      { type: 2, name: "Look at" }
    ]
  )
}
