import { assert, describe, it } from "@effect/vitest"
import type { Actor } from "@heddle/discord-emulator"
import { rest } from "../support/Rest.ts"
import { among, connect, type Name, names, startedByMention } from "../support/People.ts"
import { setRule } from "../support/Settings.ts"
import type { Stack } from "../support/Stack.ts"
import { untold } from "../support/Untold.ts"

/**
 * What became of an attempt: `+` done, `y` the task is another's, `r` ruled out by the server, `a` for admins, `s` in
 * servers, `p` not from private threads, `o` the owner is not there, `?` Discord does not tell.
 */
const signOf = (words: string): string => {
  if (/in a private or archived thread/.test(words)) return "p"
  if (/is not in this server any more, so nobody else/.test(words)) return "o"
  if (/Discord does not tell at the moment/.test(words)) return "?"
  if (/belongs to <@\d+>|can answer this/.test(words)) return "y"
  if (/settings of this server do not let you/.test(words)) return "r"
  if (/are started in a server/.test(words)) return "s"
  return /may manage this server/.test(words) ? "a" : "+"
}

/** Everything that a person can do, in the order of the columns below. */
const probes = (stack: Stack, idle: string, asking: string, forum: string, hidden: string) => {
  const { emulator } = stack
  const card = () => emulator.messages(asking).findLast(({ components }) => (components ?? []).length > 0)!
  const prefix = /"(q1:[^:"]+):/.exec(JSON.stringify(card().components))?.[1] ?? ""
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
    return signOf(words)
  }
  const told = async (asked: ReturnType<Actor["command"]>) => signOf((await (await asked).settled()).content)
  /** What the bot says where a task was asked for by a message: to its author, or in the thread of the task. */
  const started = (channelId: string, messageId: string) =>
    emulator.waitFor(
      () =>
        emulator.messages(channelId).find((each) => each.message_reference?.message_id === messageId)?.content ??
        (emulator.threads().some(({ id }) => id === messageId) &&
          emulator.messages(messageId).find(({ content }) => content.startsWith("-# Runs on the account"))?.content),
      { what: "a word of the bot" }
    )
  return [
    (who) => told(who.command(idle, "task status")),
    (who) => told(who.command(idle, "task stop")),
    async (who) => ((await who.autocomplete(idle, "task stop", { task: "" }, "task")).length >= 0 ? "+" : "-"),
    (who) => onCard(who, () => who.press(asking, card().id, `${prefix}:g:1:0`)),
    (who) => onCard(who, () => who.select(asking, card().id, `${prefix}:s:0:0`, ["0"])),
    async (who) => {
      const result = await who.press(asking, card().id, `${prefix}:w:0`)
      return result.type === "modal" ? "+" : signOf(result.message?.content ?? "")
    },
    (who) => told(who.command(emulator.channelId, "task new", { prompt: "by command" })),
    async (who) => {
      const { id } = await who.send(emulator.channelId, `<@${emulator.applicationId}> by mention`)
      return signOf(await started(emulator.channelId, id))
    },
    async (who) => {
      const { id } = await who.post(forum, "A post", "by post")
      return signOf(await started(id, id))
    },
    async (who) => {
      const { id } = await who.send(emulator.channelId, "by menu")
      return told(who.messageCommand(emulator.channelId, id, "Start a task with this message"))
    },
    (who) => told(who.command(hidden, "task new", { prompt: "a secret by command" })),
    (who) => told(who.command(hidden, "task open", { task: "any" })),
    async (who) => {
      const { id } = await who.send(hidden, `<@${emulator.applicationId}> a secret by mention`)
      return signOf(await started(hidden, id))
    },
    async (who) => {
      const { id } = await who.send(hidden, "a secret by menu")
      return told(who.messageCommand(hidden, id, "Start a task with this message"))
    },
    async (who) => {
      const answer = await (await who.command(emulator.channelId, "settings show")).settled()
      return signOf(answer.content)
    }
  ] satisfies ReadonlyArray<(who: Actor) => Promise<string>>
}

/** Shows a command to everybody, as an admin can do in the settings of the server. */
const showToEverybody = async ({ emulator }: Stack) => {
  const path = `/applications/${emulator.applicationId}/guilds/${emulator.guildId}/commands`
  const commands = (await rest(emulator, "GET", path)) as ReadonlyArray<Record<string, unknown>>
  await rest(
    emulator,
    "PUT",
    path,
    // What Discord adds to a command is none of what it takes.
    commands.map(({ application_id: _a, guild_id: _g, nsfw: _n, version: _v, ...each }) => ({
      ...each,
      default_member_permissions: null
    }))
  )
}

describe("access", () => {
  it(
    "decides the same about every type of interaction, for everybody, under any rules",
    () =>
      among(async (stack, people) => {
        const { emulator, service, shows } = stack
        const { Admin: admin, Friend: friend, Member: member, Owner: owner } = people
        await showToEverybody(stack)
        const idle = await startedByMention(stack, owner, "idle")
        await shows(idle, /Done: idle\.[^]*done ·/, 20_000)
        const asking = await startedByMention(stack, owner, "ask")
        await shows(asking, /Question 1 of 2/, 20_000)

        const { id: forum } = await rest(emulator, "POST", `/guilds/${emulator.guildId}/channels`, {
          name: "tasks",
          type: 15,
          topic: `Every post here is a task for <@${emulator.applicationId}>.`
        })

        const { id: hidden } = await rest(emulator, "POST", `/channels/${emulator.channelId}/threads`, {
          name: "among us",
          type: 12,
          invitable: false
        })
        for (const { id } of Object.values(people)) {
          await rest(emulator, "PUT", `/channels/${hidden}/thread-members/${id}`)
        }

        const heard: Array<string> = []
        /** Everybody does everything; what they may say in the thread is what arrives at the task. */
        const round = async (name: string, expected: Partial<Record<Name, string>>) => {
          for (const [who, signs] of Object.entries(expected) as Array<[Name, string]>) {
            await people[who].send(idle, `${name} ${who}`)
            if (signs.startsWith("+")) heard.push(`${name} ${who}`)
          }
          // Before anybody stops anything: what was not heard until then would not be.
          await emulator.waitFor(() => heard.every((words) => service.prompts.some((each) => each.includes(words))), {
            what: `${JSON.stringify(heard)} among ${JSON.stringify(service.prompts)}`,
            timeoutMs: 20_000
          })
          const all = probes(stack, idle, asking, forum, hidden)
          const seen = await Promise.all(
            names
              .flatMap((who) => (expected[who] === undefined ? [] : [[who, expected[who]] as const]))
              .map(async ([who, row]) => {
                const signs: Array<string> = []
                const columns = row.slice(2).replaceAll(" ", "")
                for (const [n, probe] of all.entries()) signs.push(columns[n] === "." ? "." : await probe(people[who]))
                return [who, signs.join("")] as const
              })
          )
          const withoutReply = Object.entries(expected).map(([who, signs]) => [who, signs.slice(2).replaceAll(" ", "")])
          assert.deepEqual(Object.fromEntries(seen), Object.fromEntries(withoutReply), name)
        }
        // `.` is not tried again.
        //       reply | status stop suggest button select form | command mention post menu | the same in private | settings
        await round("default", {
          Admin: "- yy+yyy ++++ pppp +",
          Owner: "+ ++++++ ++++ pppp a",
          Friend: "- yy+yyy ++++ pppp a",
          Member: "- yy+yyy ++++ pppp a"
        })
        // Of a private thread that the bot is not in, Discord tells it nothing.
        const made = await owner.request("POST", `/channels/${emulator.channelId}/threads`, { name: "alone", type: 12 })
        const asked = owner.command((made as { readonly id: string }).id, "task new", { prompt: "a secret, alone" })
        assert.strictEqual(signOf((await (await asked).settled()).content), "p")
        await (await owner.command(idle, "task share", { member: "Friend" })).settled()
        await (await owner.command(asking, "task share", { member: "Friend", may: "approve" })).settled()
        await setRule(emulator, admin, "allow", "approve", member.id, emulator.channelId)
        await setRule(emulator, admin, "allow", "stop", admin.id)
        await round("shared", {
          Admin: "- +++yyy .... .... .",
          Owner: "+ ++++++ .... .... .",
          Friend: "+ ++++++ .... .... .",
          Member: "- +y++++ .... .... ."
        })
        // While the owner is away, others may only stop; whether somebody is there is asked each time.
        await owner.leave()
        await round("away", {
          Admin: "- o++yyy .... .... .",
          Friend: "- o++ooo .... .... .",
          Member: "- oy+ooo .... .... ."
        })
        await owner.join()
        const isTold = untold(emulator, owner.id)
        await round("untold", {
          Admin: "- .++yyy .... .... .",
          Owner: "+ ++++++ .... .... .",
          Friend: "- ?++?.. .... .... .",
          Member: "- .y+.?. .... .... ."
        })
        // What waited for Discord to tell goes on when it does.
        isTold()
        heard.push("untold Friend")
        await emulator.waitFor(() => service.prompts.some((each) => each.includes("untold Friend")), {
          what: "the words of the friend"
        })
        await setRule(emulator, admin, "deny", "start")
        await setRule(emulator, admin, "allow", "start", friend.id)
        await setRule(emulator, admin, "deny", "reply")
        await setRule(emulator, admin, "deny", "approve")
        await setRule(emulator, admin, "allow", "reply", member.id)
        await round("ruled", {
          Admin: "- ++.rrr rrrr .... .",
          Owner: "- ++.rrr rrrr .... .",
          Friend: "- ++.rrr ++++ .... .",
          Member: "+ +y.+++ rrrr .... ."
        })
        // A form that was opened before is refused when it is sent, and so is a card of an earlier moment.
        const card = emulator.messages(asking).findLast(({ components }) => (components ?? []).length > 0)!
        const write = /"(q1:[^"]+:w:0)"/.exec(JSON.stringify(card.components))?.[1] ?? ""
        const form = await member.press(asking, card.id, write)
        await setRule(emulator, admin, "remove", "approve", member.id, emulator.channelId)
        const heardBefore = member.ephemerals(asking).length
        await member.submit(form, { text: "mine" })
        const words = await emulator.waitFor(() => member.ephemerals(asking)[heardBefore]?.content, { what: "a word" })
        assert.strictEqual(signOf(words), "r")
        // In private there is no server whose admin or rules could allow anything.
        const direct = await admin.openDirect()
        const inPrivate = async (path: string, given: Parameters<Actor["command"]>[2] = {}) =>
          signOf((await (await admin.command(direct, path, given)).settled()).content)
        assert.strictEqual(await inPrivate("task new", { prompt: "in private" }), "s")
        assert.strictEqual(await inPrivate("settings show"), "a")
        assert.strictEqual(await inPrivate("task list"), "+")
        const spoken = emulator.messages(direct).length
        await admin.send(direct, `<@${emulator.applicationId}> in private`)
        const hint = await emulator.waitFor((e) => e.messages(direct)[spoken + 1]?.content, {
          what: "a word in private"
        })
        assert.strictEqual(signOf(hint), "s")

        // What waited for an account, too: it was asked for when it was still allowed.
        const tasks = service.tasks.size
        const places = [emulator.channelId, ...emulator.threads().map(({ id }) => id)]
        const late = () =>
          [...member.ephemerals(emulator.channelId), ...places.flatMap((place) => emulator.messages(place))].filter(
            ({ content }) => content.includes("settings of this server do not let you")
          ).length
        const before = late()
        await connect(stack, member)
        await emulator.waitFor(() => late() === before + 4, { what: "a word about each" })
        assert.strictEqual(service.tasks.size, tasks)
        assert.isFalse(service.prompts.some((each) => each.includes("in private") || each.includes("a secret")))
        const shown = [emulator.channelId, forum, ...emulator.threads().map(({ id }) => id)].filter(
          (id) => id !== hidden
        )
        for (const id of shown) assert.notInclude(emulator.transcript(id), "a secret")
        assert.isFalse(emulator.threads().some(({ name }) => name.includes("a secret")))
        for (const words of service.prompts.filter((each) => /default|shared|ruled|away|untold/.test(each))) {
          assert.isTrue(
            heard.some((each) => words.includes(each)),
            words
          )
        }
      }),
    120_000
  )
})
