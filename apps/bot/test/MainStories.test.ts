import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { type EitherStack, services } from "./support/BothServices.ts"
import { buttonsOf } from "./support/Stack.ts"

const patience = 8000
const done = "end_turn"

/** The first message of a thread, by a mention, and what follows in the thread. */
const threadOf = async (stack: EitherStack, prompt: string) => {
  const { emulator, runs, shows, you } = stack
  const [ranBefore, threadsBefore] = [runs().length, emulator.threads().length]
  await you.send(emulator.channelId, `<@${emulator.applicationId}> ${prompt}`)
  const { id } = await emulator.waitFor((e) => e.threads()[threadsBefore], { what: "a thread", timeoutMs: patience })
  const cards = () =>
    emulator.messages(id).filter((message) => buttonsOf(message).some(({ label }) => label === "Allow"))
  return {
    id,
    shows: (words: RegExp) => shows(id, words, patience),
    say: (text: string) => you.send(id, text),
    /** Presses a button of the open permission request. */
    press: async (label: string) => {
      const card = await emulator.waitFor(() => cards()[0], { what: "a permission request", timeoutMs: patience })
      await you.press(id, card.id, buttonsOf(card).find((button) => button.label === label)!.custom_id)
    },
    /** The prompts that the service ran since the first message, and how each ended. */
    ran: () => runs().slice(ranBefore)
  }
}

/** The private answer to a command. */
const answerTo = async ({ emulator, you }: EitherStack, command: string) =>
  (await you.command(emulator.channelId, command)).settled()

const stories: Readonly<Record<string, (stack: EitherStack) => Promise<void>>> = {
  "a mention starts a task, and its answer ends with done": async (stack) => {
    const thread = await threadOf(stack, "echo Hello!")
    await thread.shows(/\[bot\][^\n]*: Hello![^]*done ·/)
    assert.deepEqual(thread.ran(), [{ prompt: "echo Hello!", end: done }])
  },

  "a permission is allowed": async (stack) => {
    const worked = { sessionUpdate: "tool_call_update", toolCallId: "call-1", status: "completed" }
    const prompt = `ask Write the file\nupdate ${JSON.stringify(worked)}`
    const thread = await threadOf(stack, prompt)
    await thread.shows(/Permission needed: Write the file/)
    await thread.press("Allow")
    await thread.shows(/✅ Allowed: Write the file[^]*"optionId":"yes"[^]*done ·/)
    assert.deepEqual(thread.ran(), [{ prompt, end: done }])
  },

  "a permission is denied": async (stack) => {
    const thread = await threadOf(stack, "ask Delete the file")
    await thread.shows(/Permission needed: Delete the file/)
    await thread.press("Deny")
    await thread.shows(/Delete the file[^]*"optionId":"no"[^]*done ·/)
    assert.notMatch(stack.emulator.transcript(thread.id), /Allowed|"yes"/)
    assert.deepEqual(thread.ran(), [{ prompt: "ask Delete the file", end: done }])
  },

  "a second message waits for the end of the first": async (stack) => {
    const thread = await threadOf(stack, "ask Go on")
    await thread.shows(/Permission needed: Go on/)
    await thread.say("echo Second.")
    await thread.shows(/1\. echo Second\./)
    assert.deepEqual(thread.ran(), [{ prompt: "ask Go on", end: null }])
    await thread.press("Allow")
    await thread.shows(/"yes"[^]*done ·[^]*\[bot\][^\n]*: Second\.[^]*done ·/)
    assert.deepEqual(thread.ran(), [
      { prompt: "ask Go on", end: done },
      { prompt: "echo Second.", end: done }
    ])
  },

  "a file of the agent is posted": async (stack) => {
    const thread = await threadOf(stack, "echo Begun.")
    await thread.shows(/Begun\.[^]*done ·/)
    await thread.say("write artifacts/notes.txt Words of the file\necho Written.")
    await thread.shows(/Written\.[^]*done ·/)
    const files = () => stack.emulator.messages(thread.id).flatMap(({ attachments }) => attachments)
    await stack.emulator.waitFor(() => files().length > 0, { what: "the file", timeoutMs: patience })
    assert.deepEqual(
      files().map(({ filename }) => filename),
      ["notes.txt"]
    )
    assert.strictEqual(await (await fetch(files()[0]!.url)).text(), "Words of the file")
  },

  "a stop is confirmed, and the next message is answered": async (stack) => {
    const thread = await threadOf(stack, "count 2000 20")
    await thread.shows(/1 2 3 /)
    await thread.say("stop")
    assert.notMatch(await thread.shows(/stopped ·/), /has not confirmed/)
    await thread.say("echo Next.")
    await thread.shows(/stopped ·[^]*\[bot\][^\n]*: Next\.[^]*done ·/)
    assert.deepEqual(thread.ran(), [
      { prompt: "count 2000 20", end: "cancelled" },
      { prompt: "echo Next.", end: done }
    ])
  },

  "/task list shows the tasks": async (stack) => {
    const thread = await threadOf(stack, "echo Listed.")
    await thread.shows(/done ·/)
    const list = await answerTo(stack, "task list")
    assert.match(JSON.stringify(list.embeds), /echo Listed\./)
  },

  "/credit shows what is left": async (stack) => {
    const credit = await answerTo(stack, "credit")
    assert.match(credit.embeds[0]?.description ?? "", stack.credits)
  },

  "an answer is whole after a restart of the bot in its middle": async (stack) => {
    const thread = await threadOf(stack, "count 60 50")
    await thread.shows(/1 2 3 /)
    await stack.stopBot()
    await stack.startBot()
    const transcript = await thread.shows(/done ·/)
    const numbers = Array.from({ length: 60 }, (_, index) => index + 1).join(" ")
    assert.lengthOf(transcript.split(numbers), 2, transcript)
    assert.deepEqual(thread.ran(), [{ prompt: "count 60 50", end: done }])
  }
}

for (const [name, start] of Object.entries(services))
  describe(`the bot's main stories at ${name}`, () => {
    let stack: EitherStack
    beforeAll(async () => {
      stack = await start()
      await stack.connect()
    })
    afterAll(() => stack?.close())

    for (const [story, tell] of Object.entries(stories)) it(story, () => tell(stack), 60_000)
  })
