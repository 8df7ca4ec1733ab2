import { assert } from "@effect/vitest"
import type { EitherStack } from "./support/BothServices.ts"
import { controls } from "./support/Controls.ts"
import { allow, answerTo, tellAtBoth, threadOf } from "./support/Stories.ts"

/** The private answer to a redemption code. */
const redeem = async ({ emulator, you }: EitherStack, code: string) => {
  const form = await you.command(emulator.channelId, "redeem code")
  return (await (await you.submit(form, { code })).settled()).content
}

const creditOf = async (stack: EitherStack) => (await answerTo(stack, "credit")).embeds[0]?.description ?? ""

tellAtBoth("the bot's main stories of accounts", {
  "/credit shows what is left": async (stack) => {
    assert.match(await creditOf(stack), stack.credits)
  },

  "/redeem adds the credits of a code once, and refuses used and unknown codes": async (stack) => {
    await allow(stack, "redeem code")
    const code = await stack.newCode(50)
    assert.match(await redeem(stack, code), /\*\*50 credits\*\* were added/)
    assert.match(await creditOf(stack), / of 1,050 used/)
    for (const refused of [code, "NO-SUCH-CODE"])
      assert.match(await redeem(stack, refused), /Nothing was redeemed, and entering it again does not help/)
    assert.match(await creditOf(stack), / of 1,050 used/)
  },

  "a member to whom a task is shared writes to it until the share is revoked": async (stack) => {
    const thread = await threadOf(stack, "echo Mine.")
    await thread.shows(/Mine\.[^]*done ·/)
    const channel = thread.id
    const sam = stack.emulator.user("Sam")
    await sam.send(channel, "echo Before.")
    assert.match((await answerTo(stack, "task share", { channel, member: "Sam" })).content, /may now .*Your account/)
    await sam.send(channel, "echo Shared.")
    await thread.shows(/\[bot\][^\n]*: Shared\.[^]*done ·/)
    assert.match((await answerTo(stack, "task unshare", { channel, member: "Sam" })).content, /may no longer use this/)
    await sam.send(channel, "echo After.")
    await thread.say("echo Mine alone.")
    await thread.shows(/\[bot\][^\n]*: Mine alone\.[^]*done ·/)
    assert.deepEqual(
      thread.ran().map(({ prompt }) => prompt.split("\n").at(-1)),
      ["echo Mine.", "echo Shared.", "echo Mine alone."]
    )
  },

  "the assistant asks in a chat, and goes on with the answer": async (stack) => {
    await allow(stack, "assistant chat")
    const chat = /<#(\d+)>/.exec((await answerTo(stack, "assistant chat")).content)?.[1] ?? ""
    await stack.assistantAsks(chat, "Write report.md")
    await stack.shows(chat, /The assistant asks[^]*Write report\.md[^]*Choose below/, 20_000)
    await controls(stack, chat).choose(/./, "0")
    await stack.shows(chat, /➤ Allow[^]*Answered\. The assistant goes on[^]*\]: answer .*(yes|Allow)/, 20_000)
  },

  "/disconnect ends the access, and a message waits until the account is connected again": async (stack) => {
    const thread = await threadOf(stack, "echo Begun.")
    await thread.shows(/Begun\.[^]*done ·/)
    assert.match((await answerTo(stack, "disconnect")).content, stack.disconnected)
    assert.match((await answerTo(stack, "credit")).content, /not connected/)
    await thread.say("echo Waited.")
    await thread.shows(/you have disconnected the account on which this runs[^]*this thread goes on by itself/)
    await stack.connect()
    await thread.shows(/\[bot\][^\n]*: Waited\.[^]*done ·/)
    assert.match(await creditOf(stack), /left/)
    assert.deepEqual(
      thread.ran().map(({ prompt }) => prompt),
      ["echo Begun.", "echo Waited."]
    )
  }
})
