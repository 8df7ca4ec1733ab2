import { assert, describe, it } from "@effect/vitest"
import type { Actor } from "@heddle/discord-emulator"
import { among, startedByMention } from "../support/People.ts"
import { buttonsOf, type Stack, patience } from "../support/Stack.ts"
import { hideMember } from "../support/HideMember.ts"

const tool = { toolCallId: "t1", title: "Write report.md" }

type Script = NonNullable<Parameters<typeof among>[1]>

const asksOnce: Script = async (turn) => {
  turn.say(`You chose ${await turn.ask(tool)}.`)
  return "end_turn"
}

const always = [
  { optionId: "always", name: "Always allow in this session", kind: "allow_always" },
  { optionId: "deny", name: "Deny", kind: "reject_once" }
]

const asksForAlways: Script = async (turn) => {
  turn.say(`You chose ${await turn.ask(tool, always)}.`)
  return "end_turn"
}

const cardOf = ({ emulator }: Stack, thread: string) =>
  emulator.messages(thread).find(({ embeds }) => /Write report\.md/.test(embeds[0]?.title ?? ""))!

const press = (stack: Stack, who: Actor, thread: string, option: number) => {
  const card = cardOf(stack, thread)
  return who.press(thread, card.id, buttonsOf(card)[option]!.custom_id)
}

/** The friend, who may answer, allows the request of the agent while the service is away. */
const allowedDuringOutage = async (stack: Stack, owner: Actor, friend: Actor) => {
  const { emulator, service, shows } = stack
  const thread = await startedByMention(stack, owner, "write")
  await shows(thread, /Permission needed: Write report\.md/, patience)
  await (await owner.command(thread, "task share", { member: "Friend", may: "both" })).settled()
  service.state.down = true
  const before = service.requests.length
  service.cutStreams()
  await emulator.waitFor(() => service.requests.length > before, { what: "the bot to notice" })
  await press(stack, friend, thread, 0)
  await shows(thread, new RegExp(`Sending the answer: Write report\\.md[^]*by <@${friend.id}>`), patience)
  assert.isEmpty(service.answers)
  return thread
}

const restarted = async ({ service, startBot, stopBot }: Stack, meanwhile: () => unknown) => {
  await stopBot()
  await meanwhile()
  service.state.down = false
  await startBot()
}

describe.concurrent("an answer that waited for the service", { timeout: 60_000 }, () => {
  it("is not given to the agent when the share of its author has ended, and the request is open again", () =>
    among(async (stack, { Friend: friend, Owner: owner }) => {
      const { emulator, service, shows } = stack
      const thread = await allowedDuringOutage(stack, owner, friend)
      await (await owner.command(thread, "task unshare", { member: "Friend" })).settled()
      service.state.down = false
      await shows(
        thread,
        new RegExp(
          `Permission needed: Write report\\.md[^]*answer of <@${friend.id}> was not sent, because they may no longer answer`
        ),
        10_000
      )
      assert.notMatch(emulator.transcript(thread), /Allowed|You chose/)
      assert.isEmpty(service.answers)
      await press(stack, owner, thread, 1)
      await shows(thread, /You chose deny\./, patience)
      assert.notMatch(emulator.transcript(thread), /was not sent/)
      assert.lengthOf(service.answers, 1)
    }, asksOnce))

  it('is not given to the agent either when it is "always allow"', () =>
    among(async (stack, { Friend: friend, Owner: owner }) => {
      const { service, shows } = stack
      const thread = await allowedDuringOutage(stack, owner, friend)
      await (await owner.command(thread, "task unshare", { member: "Friend" })).settled()
      service.state.down = false
      await shows(thread, /Permission needed: Write report\.md[^]*they may no longer answer/, 10_000)
      assert.isEmpty(service.answers)
      await press(stack, owner, thread, 0)
      await shows(thread, /You chose always\./, patience)
      assert.lengthOf(service.answers, 1)
    }, asksForAlways))

  it("is not given to the agent when its author has left the server", () =>
    among(async (stack, { Friend: friend, Owner: owner }) => {
      const { emulator, service, shows } = stack
      const thread = await allowedDuringOutage(stack, owner, friend)
      await restarted(stack, () => friend.leave())
      await shows(thread, /Permission needed: Write report\.md/, 10_000)
      assert.notMatch(emulator.transcript(thread), /Allowed|You chose/)
      assert.isEmpty(service.answers)
    }, asksOnce))

  it("is given to the agent once while its author may answer", () =>
    among(async (stack, { Friend: friend, Owner: owner }) => {
      const { service, shows } = stack
      const thread = await allowedDuringOutage(stack, owner, friend)
      service.state.down = false
      await shows(thread, new RegExp(`Allowed: Write report\\.md[^]*by <@${friend.id}>[^]*You chose allow\\.`), 20_000)
      assert.lengthOf(service.answers, 1)
    }, asksOnce))

  it("is kept while Discord does not say who its author is, and given to the agent afterwards", () => {
    let showMember = () => {}
    return among(async (stack, { Friend: friend, Owner: owner }) => {
      const { emulator, service, shows } = stack
      const thread = await allowedDuringOutage(stack, owner, friend)
      await restarted(stack, () => void (showMember = hideMember(emulator, friend.id)))
      await emulator.quiet(thread, 4000)
      assert.match(emulator.transcript(thread), /Sending the answer: Write report\.md/)
      assert.isEmpty(service.answers)
      showMember()
      await shows(thread, /Allowed: Write report\.md[^]*You chose allow\./, 25_000)
      assert.lengthOf(service.answers, 1)
    }, asksOnce)
  }, 60_000)

  it("is not shown as given when the turn is stopped while Discord does not say who its author is", () =>
    among(async (stack, { Friend: friend, Owner: owner }) => {
      const { emulator, shows } = stack
      const thread = await allowedDuringOutage(stack, owner, friend)
      await restarted(stack, () => void hideMember(emulator, friend.id))
      await emulator.quiet(thread, 4000)
      assert.match(emulator.transcript(thread), /Sending the answer: Write report\.md/)
      await owner.send(thread, "stop")
      const transcript = await shows(thread, /stopped ·/, 20_000)
      assert.match(transcript, /Answer not confirmed: Write report\.md/)
      assert.notMatch(transcript, /✅|You chose allow/)
    }, asksOnce))

  it(
    "is refused at its deadline while Discord does not say who its author is",
    () =>
      among(
        async (stack, { Friend: friend, Owner: owner }) => {
          const { emulator, service, shows } = stack
          const thread = await allowedDuringOutage(stack, owner, friend)
          await restarted(stack, () => void hideMember(emulator, friend.id))
          await shows(thread, /Not answered in time: Write report\.md[^]*You chose deny\./, 30_000)
          assert.lengthOf(service.answers, 1)
        },
        asksOnce,
        { answerDeadlineMs: 8000 }
      ),
    60_000
  )
})
