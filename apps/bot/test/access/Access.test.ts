import { assert, describe, it } from "@effect/vitest"
import type { Actor } from "@heddle/discord-emulator"
import { rest } from "../support/Rest.ts"
import { among, connect, names, question, startedByMention } from "../support/People.ts"
import { english } from "@heddle/bot/messages/Translations"
import { outcome } from "../support/Outcome.ts"
import { setRule } from "../support/Settings.ts"
import { buttonsOf, type Stack, type startStack } from "../support/Stack.ts"
import { hideMember } from "../support/HideMember.ts"

/** The people of the table: the two last ones have a role each. */
const everybody = [...names, "Staff", "Barred"] as const
type Somebody = (typeof everybody)[number]

interface Places {
  readonly idle: string
  readonly asking: string
  readonly forum: string
  readonly hidden: string
  /** Forms of the card that were opened when everybody might answer. */
  readonly forms: ReadonlyMap<string, Parameters<Actor["submit"]>[0]>
}

/** Everything that a person can do, in the order of the columns below. */
const probes = (stack: Stack, ownerId: string, { asking, forms, forum, hidden, idle }: Places) => {
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
  /** What the bot says where a task was asked for by a message: to its author, or in the thread of the task. */
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
const cardIn = ({ emulator }: Stack, threadId: string) =>
  emulator.messages(threadId).findLast(({ components }) => (components ?? []).length > 0)!
const prefixOf = ({ components }: ReturnType<typeof cardIn>) =>
  /"(q1:[^:"]+):/.exec(JSON.stringify(components))?.[1] ?? ""

/** Shows every command to everybody, as an admin can do in the settings of the server. */
const showToEverybody = async ({ emulator }: Stack) => {
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

/** The turn during which the messages of others wait. */
let releaseTurn = (): void => undefined
const heldTurn = new Promise<void>((resolve) => {
  releaseTurn = resolve
})

const script: Parameters<typeof startStack>[0] = async (turn) => {
  if (turn.text === "ask") await turn.ask(question)
  else if (turn.text === "busy") await new Promise<void>(() => undefined)
  else {
    if (turn.text === "idle") turn.artifact("created", plan)
    if (turn.text.includes("untold Owner mentions")) await heldTurn
    turn.say(`Done: ${turn.text}.`)
  }
  return "end_turn"
}
const plan = {
  uri: "agent:///artifacts/plan",
  name: "Plan",
  type: "plan",
  content: "- one",
  createdAt: 1,
  updatedAt: 1
}

describe("access", () => {
  it(
    "decides equally for every type of interaction, every person and every rule",
    () =>
      among(async (stack, people) => {
        const { emulator, service, shows } = stack
        const staff = emulator.addUser("Staff")
        const barred = emulator.addUser("Barred")
        const all: Record<Somebody, Actor> = { ...people, Staff: staff, Barred: barred }
        const { Admin: admin, Friend: friend, Member: member, Owner: owner } = people
        const role = async (name: string, who: Actor, permissions?: number) => {
          const made = await rest(emulator, "POST", `/guilds/${emulator.guildId}/roles`, {
            name,
            ...(permissions === undefined ? {} : { permissions })
          })
          await rest(emulator, "PUT", `/guilds/${emulator.guildId}/members/${who.id}/roles/${made.id}`)
          return made.id
        }
        await showToEverybody(stack)
        const idle = await startedByMention(stack, owner, "idle")
        await shows(idle, /Done: idle\.[^]*done ·/, 20_000)
        const asking = await startedByMention(stack, owner, "ask")
        await shows(asking, /Question 1 of 2/, 20_000)
        const busy = await startedByMention(stack, owner, "busy")

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
        for (const { id } of Object.values(all)) {
          await rest(emulator, "PUT", `/channels/${hidden}/thread-members/${id}`)
        }

        await setRule(emulator, admin, "allow", "approve")
        const forms = new Map<string, Parameters<Actor["submit"]>[0]>()
        for (const who of Object.values(all)) {
          const card = cardIn(stack, asking)
          forms.set(who.id, await who.press(asking, card.id, `${prefixOf(card)}:w:0`))
        }
        await setRule(emulator, admin, "remove", "approve")

        const heard: Array<string> = []
        /** Everybody does everything; what they may say in the thread is what arrives at the task. */
        const round = async (
          name: string,
          expected: Partial<Record<Somebody, string>>,
          afterMessages: () => Promise<unknown> = async () => undefined
        ) => {
          for (const [who, signs] of Object.entries(expected) as Array<[Somebody, string]>) {
            const words = `${name} ${who}`
            await all[who].send(idle, `${words} says`)
            await all[who].send(idle, `${words} replies`, [], { replyTo: emulator.messages(idle)[1]!.id })
            await all[who].send(idle, `<@${emulator.applicationId}> ${words} mentions`)
            if (signs.startsWith("+")) heard.push(`${words} says`, `${words} replies`, `${words} mentions`)
          }
          await afterMessages()
          // Before anybody stops anything: what was not heard until then would not be.
          await emulator.waitFor(() => heard.every((words) => service.prompts.some((each) => each.includes(words))), {
            what: `${JSON.stringify(heard)} among ${JSON.stringify(service.prompts)}`,
            timeoutMs: 20_000
          })
          const columns = probes(stack, owner.id, { asking, forms, forum, hidden, idle })
          const seen = await Promise.all(
            (Object.entries(expected) as Array<[Somebody, string]>).map(async ([who, row]) => {
              const signs: Array<string> = []
              const wanted = row.slice(2).replaceAll(" ", "")
              assert.strictEqual(wanted.length, columns.length, `${name} ${who}`)
              for (const [n, probe] of columns.entries()) signs.push(wanted[n] === "." ? "." : await probe(all[who]))
              return [who, signs.join("")] as const
            })
          )
          const withoutReply = Object.entries(expected).map(([who, signs]) => [who, signs.slice(2).replaceAll(" ", "")])
          assert.deepEqual(Object.fromEntries(seen), Object.fromEntries(withoutReply), name)
        }
        // `.` is not tried again.
        //       messages | status stop suggest button select open submit | command mention post menu | in private | settings other
        await round("default", {
          Admin: "- yy-yyyy cccc pppp +u",
          Owner: "+ +++++++ ++++ pppp au",
          Friend: "- yy-yyyy cccc pppp au",
          Member: "- yy-yyyy cccc pppp au"
        })
        // Of a private thread that the bot is not in, Discord tells it nothing.
        const made = await owner.request("POST", `/channels/${emulator.channelId}/threads`, { name: "alone", type: 12 })
        const asked = owner.command((made as { readonly id: string }).id, "task new", { prompt: "a secret, alone" })
        assert.strictEqual(outcome(owner.id, (await (await asked).settled()).content), "p")
        await (await owner.command(idle, "task share", { member: "Friend" })).settled()
        await (await owner.command(asking, "task share", { member: "Friend", may: "approve" })).settled()
        await setRule(emulator, admin, "allow", "approve", member.id, emulator.channelId)
        await setRule(emulator, admin, "allow", "stop", admin.id)
        await setRule(emulator, admin, "allow", "reply", { role: await role("Staff", staff) })
        await setRule(emulator, admin, "deny", "start", { role: await role("Barred", barred) })
        await round("shared", {
          Admin: "- +++yyyy .... .... ..",
          Owner: "+ +++++++ .... .... ..",
          Friend: "+ +++++++ .... .... ..",
          Member: "- +y+++++ .... .... ..",
          Staff: "+ +y+yyyy cccc .... ..",
          Barred: "- yy-yyyy rrrr .... .."
        })
        // While the owner is away, others may only stop; whether somebody is there is asked each time.
        await owner.leave()
        // That they are gone is found when somebody asks for something; until then they count as there for some seconds.
        await (await friend.command(idle, "task status")).settled()
        await round("away", {
          Admin: "- o+-yyyy .... .... ..",
          Friend: "- o+-oooo .... .... ..",
          Member: "- oy-oooo .... .... ..",
          Staff: "- oy-yyyy .... .... .."
        })
        await owner.join()
        const showMember = hideMember(emulator, owner.id)
        await round(
          "untold",
          {
            Admin: "- .+-yyyy .... .... ..",
            Owner: "+ +++++++ .... .... ..",
            Friend: "- ?+-?... .... .... ..",
            Member: "- .y-.?.. .... .... .."
          },
          // A message that waited is not allowed by what the owner's own message told of the owner moments ago.
          async () => {
            await shows(idle, /⏳ Waiting[^]*untold Friend mentions/, 20_000)
            releaseTurn()
            await shows(idle, /Done: [^]*untold Owner mentions\.[^]*done ·/, 20_000)
          }
        )
        // What waited for Discord to tell goes on when it does, but for the first of it, which is what was stopped.
        showMember()
        heard.push("untold Friend replies", "untold Friend mentions")
        await emulator.waitFor(() => heard.every((words) => service.prompts.some((each) => each.includes(words))), {
          what: "the words of the friend"
        })
        assert.isFalse(service.prompts.some((each) => each.includes("untold Friend says")))
        // A person who left gets no access by direct messages, even to tasks that were shared with them.
        await friend.leave()
        const aside = await friend.openDirect()
        const ofOwner = { task: [...service.tasks.keys()][0]! }
        for (const path of ["task status", "task stop"]) {
          const answer = await (await friend.command(aside, path, ofOwner)).settled()
          assert.strictEqual(outcome(owner.id, answer.content), "y", path)
        }
        const shared = async (userId: string) =>
          (await (await owner.command(idle, "task share", { member: userId })).settled()).content
        assert.match(
          await shared(friend.id),
          /^<@\d+> is not in this server, so they cannot use the task\. Nothing was changed/
        )
        assert.match(
          await shared(emulator.applicationId),
          /^<@\d+> is a bot, and bots cannot use tasks\. Nothing was changed/
        )
        await friend.join()
        await setRule(emulator, admin, "deny", "start")
        await setRule(emulator, admin, "allow", "start", friend.id)
        await setRule(emulator, admin, "deny", "reply")
        await setRule(emulator, admin, "deny", "approve")
        await setRule(emulator, admin, "allow", "reply", member.id)
        await round("ruled", {
          Admin: "- +++rrrr rrrr .... ..",
          Owner: "- +++rrrr rrrr .... ..",
          Friend: "- +++rrrr cccc .... ..",
          Member: "+ +y+++++ rrrr .... ..",
          Staff: "+ +y+rrrr rrrr .... ..",
          Barred: "- yy-rrrr rrrr .... .."
        })
        // What waits follows the edits of those alone who may still write, and is taken back by anybody who wrote it.
        await setRule(emulator, admin, "allow", "reply")
        const waiting = new Map<Somebody, string>()
        for (const who of everybody) waiting.set(who, (await all[who].send(busy, `${who} at first`)).id)
        const queued = (words: string) => emulator.transcript(busy).includes(words)
        await emulator.waitFor(() => everybody.every((who) => queued(`${who} at first`)), { what: "what waits" })
        await setRule(emulator, admin, "deny", "reply")
        for (const who of everybody) await all[who].edit(busy, waiting.get(who)!, `${who} edited`)
        await emulator.waitFor(() => queued("Staff edited") && queued("Member edited"), { what: "what was edited" })
        const inQueue = (message: { readonly content: string }) => message.content.includes("⏳ Waiting")
        const queue = () => emulator.messages(busy).findLast(inQueue)?.content ?? ""
        await owner.delete(busy, waiting.get("Owner")!)
        await barred.delete(busy, waiting.get("Barred")!)
        await emulator.waitFor(() => !/Owner|Barred/.test(queue()), { what: "two to be taken back" })
        for (const words of ["Admin at first", "Friend at first", "Member edited", "Staff edited"]) {
          assert.include(queue(), words)
        }

        // A panel that was opened by somebody who may not manage the server any more.
        const managers = await role("Managers", friend, 32)
        await setRule(emulator, friend, "allow", "stop", { role: managers }, emulator.channelId)
        const panel = await setRule(emulator, friend, "allow", "spend", member.id)
        await rest(emulator, "DELETE", `/guilds/${emulator.guildId}/members/${friend.id}/roles/${managers}`)
        const controls = buttonsOf(panel)
        const picks: Readonly<Record<number, string>> = {
          3: "stop",
          5: friend.id,
          6: managers,
          7: managers,
          8: emulator.channelId
        }
        const onControl = async (
          who: Actor,
          messageId: string,
          { custom_id: id, type }: { readonly custom_id: string; readonly type: number }
        ) => {
          const before = who.ephemerals(emulator.channelId).length
          const place = emulator.channelId
          await (type === 2 ? who.press(place, messageId, id) : who.select(place, messageId, id, [picks[type]!]))
          const words = await emulator.waitFor(() => who.ephemerals(place)[before]?.content, {
            what: `a word about ${id}`
          })
          return outcome(owner.id, words)
        }
        const refused: Array<string> = []
        for (const control of controls) refused.push(`${control.type}${await onControl(friend, panel.id, control)}`)
        assert.deepEqual(refused, ["3a", "7a", "8a", "2a", "2a", "2a"])

        // Whatever a control is of that the bot does not know any more, it is answered.
        const old = await rest(emulator, "POST", `/channels/${emulator.channelId}/messages`, {
          content: "old",
          components: [
            { type: 1, components: [{ type: 2, style: 1, label: "Old", custom_id: "z9:2" }] },
            { type: 1, components: [{ type: 3, custom_id: "z9:3", options: [{ label: "Stop", value: "stop" }] }] },
            ...[5, 6, 7].map((type) => ({ type: 1, components: [{ type, custom_id: `z9:${type}` }] }))
          ]
        })
        const answers: Array<string> = []
        for (const type of [2, 3, 5, 6, 7]) {
          answers.push(`${type}${await onControl(member, old.id, { type, custom_id: `z9:${type}` })}`)
        }
        assert.deepEqual(answers, ["2u", "3u", "5u", "6u", "7u"])

        // In private there is no server whose admin or rules could allow anything.
        const direct = await admin.openDirect()
        const inPrivate = async (path: string, given: Parameters<Actor["command"]>[2] = {}) =>
          outcome(owner.id, (await (await admin.command(direct, path, given)).settled()).content, [
            english.notConnected
          ])
        assert.strictEqual(await inPrivate("task new", { prompt: "in private" }), "s")
        assert.strictEqual(await inPrivate("settings show"), "a")
        assert.strictEqual(await inPrivate("task list"), "+")
        const spoken = emulator.messages(direct).length
        await admin.send(direct, `<@${emulator.applicationId}> in private`)
        const hint = await emulator.waitFor((e) => e.messages(direct)[spoken + 1]?.content, {
          what: "a word in private"
        })
        assert.strictEqual(outcome(owner.id, hint), "s")

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
      }, script),
    120_000
  )
})
