import { assert } from "@effect/vitest"
import { answerTo, type Story, tellAtBoth, threadOf } from "./support/Stories.ts"

const done = "end_turn"
const patience = 8000

const stories: Readonly<Record<string, Story>> = {
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
    await thread.press("Allow once")
    await thread.shows(/✅ Allowed: Write the file[^]*"optionId":"yes"[^]*done ·/)
    assert.deepEqual(thread.ran(), [{ prompt, end: done }])
  },

  "a permission is denied": async (stack) => {
    const thread = await threadOf(stack, "ask Delete the file")
    await thread.shows(/Permission needed: Delete the file/)
    await thread.press("Reject")
    await thread.shows(/Delete the file[^]*"optionId":"no"[^]*done ·/)
    assert.notMatch(stack.emulator.transcript(thread.id), /Allowed|"yes"/)
    assert.deepEqual(thread.ran(), [{ prompt: "ask Delete the file", end: done }])
  },

  "questions of the agent are answered": async (stack) => {
    const asked = [
      { question: "Which colour?", header: "Colour", options: [{ label: "red" }, { label: "blue" }] },
      { question: "Which sizes?", multiSelect: true, options: [{ label: "small" }, { label: "large" }] }
    ]
    const thread = await threadOf(stack, `question ${JSON.stringify(asked)}`)
    await thread.shows(/Question 1 of 2[^]*Which colour\?/)
    await thread.controls.choose(/:s:0:0/, "1")
    await thread.controls.choose(/:s:1:0/, "0", "1")
    await thread.controls.press(/:f$/)
    await thread.shows(/answer .*"optionId":"go".*"answers":\{"q_0":"blue","q_1":\["small","large"\]\}[^]*done ·/)
  },

  "a second message waits for the end of the first": async (stack) => {
    const thread = await threadOf(stack, "ask Go on")
    await thread.shows(/Permission needed: Go on/)
    await thread.say("echo Second.")
    await thread.shows(/1\. echo Second\./)
    assert.deepEqual(thread.ran(), [{ prompt: "ask Go on", end: null }])
    await thread.press("Allow once")
    await thread.shows(/"yes"[^]*done ·[^]*\[bot\][^\n]*: Second\.[^]*done ·/)
    assert.deepEqual(thread.ran(), [
      { prompt: "ask Go on", end: done },
      { prompt: "echo Second.", end: done }
    ])
  },

  "a file of the agent is posted and listed": async (stack) => {
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
    const list = await answerTo(stack, "artifacts list", { channel: thread.id })
    assert.match(list.embeds[0]?.description ?? "", /\*\*notes\.txt\*\* · file · 17 B · \[/)
  },

  "a stop is confirmed, and the next message is answered": async (stack) => {
    const thread = await threadOf(stack, "count 2000 20")
    await thread.shows(/1 2 3 /)
    await thread.say("stop")
    // A service that keeps nothing but the document does not tell how a run of its own ended.
    assert.notMatch(await thread.shows(/stopped ·|ended after the stop request/), /has not confirmed/)
    await thread.say("echo Next.")
    await thread.shows(/(stopped ·|ended after the stop request)[^]*\[bot\][^\n]*: Next\.[^]*done ·/)
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

/** The document knows forms only as questions; our service passes on those of ACP, too. */
const formStories: Readonly<Record<string, Story>> = {
  "a form of the agent is filled in": async (stack) => {
    const requestedSchema = {
      type: "object",
      properties: { name: { type: "string", title: "Name" }, draft: { type: "boolean", title: "A draft" } },
      required: ["name"]
    }
    const thread = await threadOf(
      stack,
      `form ${JSON.stringify({ mode: "form", message: "The release", requestedSchema })}`
    )
    await thread.shows(/Question 1 of 2: The release[^]*Name/)
    await thread.controls.write(/:w:0/, "Heddle")
    await thread.controls.choose(/:s:1:0/, "0")
    await thread.controls.press(/:f$/)
    await thread.shows(/form \{"action":"accept","content":\{"name":"Heddle","draft":true\}\}[^]*done ·/)
  }
}

tellAtBoth("the bot's main stories of tasks", stories, { "the real service": formStories })
