import { assert, describe, it } from "@effect/vitest"
import { PermissionFlagsBits } from "discord.js"
import { rest } from "../support/Rest.ts"
import { buttonsOf, withStack } from "../support/Stack.ts"

const until = async (holds: () => boolean) => {
  for (let tries = 0; !holds() && tries < 400; tries++) await new Promise((resolve) => setTimeout(resolve, 25))
  assert.isTrue(holds())
}

describe.concurrent("a thread's life", () => {
  it("continues after an archive, also after a restart", () => {
    let go = () => {}
    return withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        await new Promise<void>((resolve) => (go = resolve))
        turn.say(" and on")
        return "end_turn"
      },
      async ({ emulator, shows, start, startBot, stopBot, you }) => {
        const thread = await start("one")
        await shows(thread, /working on one/)
        await rest(emulator, "PATCH", `/channels/${thread}`, { archived: true })
        go()
        await shows(thread, /working on one and on[^]*done ·/)
        await stopBot()
        await rest(emulator, "PATCH", `/channels/${thread}`, { archived: true })
        await startBot()
        await you.send(thread, "two")
        await shows(thread, /working on two/)
        go()
        await shows(thread, /working on two and on[^]*done ·/)
      }
    )
  })

  it("continues in another message when one is too old for edits, also after a restart", () => {
    const steps: Array<() => void> = []
    const step = () => new Promise<void>((resolve) => steps.push(resolve))
    return withStack(
      async (turn) => {
        turn.say("one")
        await step()
        turn.say(" two")
        await step()
        turn.say(" three")
        return "end_turn"
      },
      async ({ emulator, shows, start, startBot, stopBot }) => {
        const thread = await start("go")
        await shows(thread, /: one$/m)
        await new Promise((resolve) => setTimeout(resolve, 1000))
        steps[0]!()
        await shows(thread, /: one two$/m)
        await emulator.waitFor((e) => !/: one$/m.test(e.transcript(thread)), { what: "the old message to go" })
        await stopBot()
        await new Promise((resolve) => setTimeout(resolve, 1000))
        await startBot()
        steps[1]!()
        await shows(thread, /: one two three\n[^]*done ·/)
        await emulator.waitFor((e) => e.transcript(thread).match(/: one/g)?.length === 1, {
          what: "one message with the words"
        })
      },
      { rollAfterMs: 900 }
    )
  })

  it("ends silently when it is locked or deleted, and stops its task; it continues after an unlock", () => {
    let cancelled = 0
    return withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        if (turn.text === "four") void turn.ask({ toolCallId: "t1", title: "Pay" })
        await turn.cancelled
        cancelled++
        return "cancelled"
      },
      async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
        const hook = await rest(emulator, "POST", `/channels/${emulator.channelId}/webhooks`, { name: "other" })
        const locked = await start("one")
        await shows(locked, /working on one/)
        await you.send(locked, "never")
        await shows(locked, /1\. never/)
        await rest(emulator, "PATCH", `/channels/${locked}`, { locked: true })
        await until(() => cancelled === 1)
        assert.notMatch(emulator.transcript(locked), /stopped ·|did not work|done ·/)
        // Another bot's words do not hide what a person wrote before them.
        await you.send(locked, "two")
        await rest(emulator, "POST", `/webhooks/${hook.id}/${hook.token}?thread_id=${locked}`, { content: "by a bot" })
        await rest(emulator, "PATCH", `/channels/${locked}`, { locked: false })
        // The interrupted answer gets its end, and the author of the undelivered message gets a reply.
        await shows(locked, /working on one[^]*ended after the stop request/)
        await shows(locked, /closed while this message waited/)
        assert.notInclude(await shows(locked, /working on two/), "I was away")

        const deleted = await start("three")
        await shows(deleted, /working on three/)
        await rest(emulator, "DELETE", `/channels/${deleted}`)
        await until(() => cancelled === 2)

        // Locked while the bot is away.
        await stopBot()
        await rest(emulator, "PATCH", `/channels/${locked}`, { locked: true })
        await startBot()
        await until(() => cancelled === 3)

        // Its question can no longer be answered.
        const asking = await start("four")
        await shows(asking, /Permission needed: Pay/)
        const card = emulator.messages(asking).find((message) => buttonsOf(message).length > 0)!
        await rest(emulator, "PATCH", `/channels/${asking}`, { locked: true })
        await until(() => cancelled === 4)
        await you.press(asking, card.id, buttonsOf(card)[0]!.custom_id)
        await emulator.waitFor(() => you.ephemerals(asking).length > 0, { what: "a word" })
        assert.match(you.ephemerals(asking)[0]!.content, /agent does not wait for this any more|no longer/)
        await rest(emulator, "PATCH", `/channels/${asking}`, { locked: false })
        await shows(asking, /No longer open: Pay[^]*ended after the stop request/)
        assert.notInclude(emulator.transcript(asking), "Allowed")
        assert.deepEqual(service.prompts, ["one", "two", "three", "four"])
      }
    )
  })

  it("handles a message right after a lock and an unlock", () =>
    withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        if (turn.text.startsWith("long")) await turn.cancelled
        return "end_turn"
      },
      async ({ service, shows, start, you }) => {
        const thread = await start("go")
        await shows(thread, /done ·/)
        for (const round of [1, 2, 3]) {
          await you.send(thread, `long ${round}`)
          await shows(thread, new RegExp(`working on long ${round}`))
          await you.request("PATCH", `/channels/${thread}`, { locked: true })
          await you.request("PATCH", `/channels/${thread}`, { locked: false })
          await you.send(thread, `next ${round}`)
          await shows(thread, new RegExp(`working on next ${round}[^]*done ·`))
        }
        assert.deepEqual(service.prompts, ["go", ...[1, 2, 3].flatMap((round) => [`long ${round}`, `next ${round}`])])
      }
    ))

  it("continues when the bot may write again, and shows the whole interrupted answer", () => {
    let cancelled = 0
    let goOn = () => {}
    const permissions = ["ViewChannel", "ReadMessageHistory", "SendMessages", "SendMessagesInThreads"] as const
    const more = ["CreatePublicThreads", "ManageThreads", "EmbedLinks", "AttachFiles", "AddReactions"] as const
    const bits = [...permissions, ...more].reduce((all, name) => all | PermissionFlagsBits[name], 0n)
    return withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        if (!["brief", "long"].includes(turn.text)) return "end_turn"
        await new Promise<void>((resolve) => (goOn = resolve))
        // More than one message holds: what is there may be edited all the same.
        turn.say(`${" and on".repeat(400)} the end of ${turn.text}`)
        if (turn.text === "brief") return "end_turn"
        await turn.cancelled
        cancelled++
        return "cancelled"
      },
      async ({ emulator, service, shows, start, you }) => {
        const thread = await start("one")
        await shows(thread, /done ·/)
        const overwrite = `/channels/${emulator.channelId}/permissions/${emulator.applicationId}`
        const writing = String(PermissionFlagsBits.SendMessages | PermissionFlagsBits.SendMessagesInThreads)
        const forbid = () => you.request("PUT", overwrite, { type: 1, allow: "0", deny: writing })
        // First for a moment, then permanently: a post that Discord refuses is not reported.
        await you.send(thread, "brief")
        await shows(thread, /working on brief/)
        await forbid()
        goOn()
        await new Promise((resolve) => setTimeout(resolve, 800))
        assert.notMatch(emulator.transcript(thread), /the end of brief/)
        await you.request("DELETE", overwrite)
        await shows(thread, /the end of brief[^]*done ·/)

        await you.send(thread, "long")
        await shows(thread, /working on long/)
        await forbid()
        goOn()
        await until(() => cancelled === 1)
        await you.send(thread, "two")
        await you.request("DELETE", overwrite)
        await shows(thread, /the end of long[^]*ended after the stop request[^]*working on two/)
        assert.deepEqual(service.prompts, ["one", "brief", "long", "two"])
      },
      { emulator: { botPermissions: String(bits) }, stuckAfterMs: 2000 }
    )
  })

  it("continues after an unlock during an absence of the bot, archived or not", () =>
    withStack(
      async (turn) => {
        turn.say(`working on ${turn.text}`)
        return "end_turn"
      },
      async ({ emulator, service, shows, start, startBot, stopBot, you }) => {
        const thread = await start("one")
        await shows(thread, /done ·/)
        await you.request("PATCH", `/channels/${thread}`, { locked: true })
        await emulator.quiet(thread, 300)
        await stopBot()
        await you.request("PATCH", `/channels/${thread}`, { locked: false })
        await you.send(thread, "three")
        await startBot()
        await shows(thread, /working on three/)
        await you.request("PATCH", `/channels/${thread}`, { locked: true, archived: true })
        await emulator.quiet(thread, 300)
        await stopBot()
        await startBot()
        await you.request("PATCH", `/channels/${thread}`, { locked: false })
        await you.send(thread, "four")
        await shows(thread, /working on four/)
        assert.deepEqual(service.prompts, ["one", "three", "four"])
      }
    ))
})
