import { assert, describe, it } from "@effect/vitest"
import type { Actor } from "@heddle/discord-emulator"
import { rest } from "../support/Rest.ts"
import { among, connect, question, startedByMention } from "../support/People.ts"
import { english } from "@heddle/bot/messages/Translations"
import { outcome } from "../support/Outcome.ts"
import { setRule } from "../support/Settings.ts"
import { buttonsOf, type startStack } from "../support/Stack.ts"
import { hideMember } from "../support/HideMember.ts"
import { cardIn, everybody, prefixOf, probes, showToEverybody, type Somebody } from "./Probes.ts"

/** The turn during which the messages of other people wait. */
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
        // While the owner is away, others may only stop. The bot checks each time whether the owner is there.
        await owner.leave()
        // The bot notices with the next command that the owner left. Until then it trusts its last check for some seconds.
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

        // A panel of a person who may no longer manage the server.
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

        // The bot also answers the controls of an older version.
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

        // This includes a task that waited for an account: it was allowed when it was requested.
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
