import { assert, describe, it, vi } from "@effect/vitest"
import { choosing, startTask } from "../support/Choices.ts"
import { type RealStack, withRealStack } from "../support/RealStack.ts"
import { rest } from "../support/Rest.ts"
import { buttonsOf } from "../support/Stack.ts"

const withFriend = { ...choosing("modes", "options", "commands"), emulator: { users: ["You", "Friend"] } }

/** What a person does in the thread of the first task, and what they then read. */
const inThread = ({ emulator }: RealStack, thread: string, who: ReturnType<RealStack["emulator"]["user"]>) => {
  const card = () => emulator.messages(thread).findLast(({ embeds }) => /Files of|的文件/.test(embeds[0]?.title ?? ""))!
  return {
    ask: async (path: string, options: Record<string, string>) =>
      (await (await who.command(thread, path, options)).settled()).content,
    /** Uses a control of the newest card of files. */
    use: async (action: "always" | "get", words: RegExp) => {
      const id = buttonsOf(card()).find(({ custom_id: id }) => id.endsWith(`:${action}`))?.custom_id ?? ""
      await (action === "get" ? who.select(thread, card().id, id, ["0"]) : who.press(thread, card().id, id))
      return emulator.waitFor(() => who.ephemerals(thread).find(({ content }) => words.test(content)), {
        what: `${words} for ${action}`,
        timeoutMs: 10_000
      })
    }
  }
}

describe.concurrent("what the agent of a task offers", () => {
  it(
    "is refused to people who may not use the task with one and the same reason, whatever they choose",
    () =>
      withRealStack(async (stack) => {
        const { ask: owner, thread } = await startTask(stack)
        const friend = inThread(stack, thread.id, stack.emulator.user("Friend"))
        const refused = /^This task belongs to <@\d+> and runs on their account/
        for (const mode of ["plan", "auto", "nothing"]) assert.match(await friend.ask("task mode", { mode }), refused)
        assert.match(await friend.ask("task options", { option: "web", value: "on" }), refused)
        await friend.use("always", refused)
        await owner("task share", { member: "Friend", may: "reply" })
        assert.match(await friend.ask("task mode", { mode: "auto" }), /may work without asking, so only people who/)
      }, withFriend),
    60_000
  )

  it(
    "is not reached on an account that is disconnected, which each person reads at once",
    () =>
      withRealStack(async (stack) => {
        const { emulator, you } = stack
        const { ask, thread } = await startTask(stack)
        await ask("task share", { member: "Friend", may: "both" })
        const sure = await stack.ask("disconnect")
        await you.press(sure.channel_id, sure.id, buttonsOf(sure)[0]!.custom_id)
        await emulator.waitFor(() => you.ephemerals().some(({ content }) => /Disconnected|no longer/.test(content)), {
          what: "the end of the connection"
        })
        const [owner, friend] = [you, emulator.user("Friend")].map((who) => inThread(stack, thread.id, who))
        const theirs = new RegExp(
          `^This task runs on the account of <@${you.id}>, which is not connected now\\. Nothing`
        )
        const mine = /^Your account is not connected\. /
        assert.match((await friend?.ask("task mode", { mode: "plan" })) ?? "", theirs)
        assert.match((await owner?.ask("task options", { option: "web", value: "on" })) ?? "", mine)
        await friend?.use("get", theirs)
        await owner?.use("always", mine)
        emulator.user("Friend").speak("zh-CN")
        assert.match(
          (await friend?.ask("task mode", { mode: "plan" })) ?? "",
          /^这个任务使用 <@\d+> 的账号运行，该账号目前没有连接。没有任何改动。/
        )
      }, withFriend),
    60_000
  )

  it(
    "stays as it is in a locked thread, whose answers say what helps",
    () =>
      withRealStack(async (stack) => {
        const { suggest, thread } = await startTask(stack)
        const owner = inThread(stack, thread.id, stack.you)
        await rest(stack.emulator, "PATCH", `/channels/${thread.id}`, { locked: true })
        await stack.emulator.quiet(thread.id, 200)
        const locked =
          /^The thread of this task is locked, so nothing was changed\. Once it is unlocked, you can go on here\.$/
        assert.match(await owner.ask("task mode", { mode: "plan" }), locked)
        assert.match(await owner.ask("task command", { name: "review" }), locked)
        assert.deepStrictEqual(await suggest("task mode", { mode: "" }, "mode"), [])
        await owner.use("get", locked)
      }, withFriend),
    60_000
  )

  it(
    "is named where a person types something else, and in the help with what follows a command",
    () =>
      withRealStack(async (stack) => {
        const { ask, thread } = await startTask(stack)
        const owner = inThread(stack, thread.id, stack.you)
        const none = await owner.ask("task options", { option: "speed", value: "fast" })
        assert.match(none, /no such option[^*]*Nothing was changed\. It offers \*\*Effort\*\*, \*\*Web search\*\*\.$/)
        // The bot stores what the agent offers after it has shown the end of the answer.
        await vi.waitFor(
          async () =>
            assert.match(
              (await ask("help", {})).embeds[0]?.description ?? "",
              /- \*\*\/review\*\* \\<which files\\> · Reviews/
            ),
          { timeout: 20_000 }
        )
        stack.you.speak("zh-CN")
        assert.match(
          await owner.ask("task options", { option: "speed", value: "fast" }),
          /没有这个选项[^*]*未作任何更改。可选：\*\*Effort\*\*、\*\*Web search\*\*。$/
        )
        // Names in Latin letters stand apart from Chinese words.
        await ask("settings language", { language: "zh-CN" })
        assert.match(
          await owner.ask("task options", { option: "effort", value: "high" }),
          /^智能体的 Effort 现在是 \*\*High/
        )
        const { content } = await stack.ask("settings agent", { mode: "plan", option: "web", value: "开" })
        assert.match(
          content,
          /^在本服务器中，新任务的智能体以模式 \*\*plan\*\*、选项 \*\*web\*\* = \*\*on\*\* 开始。从现在起/
        )
        const ended = await stack.ask("settings agent", { mode: "无默认值", option: "web", value: "无默认值" })
        assert.match(ended.content, /^在本服务器中，新任务的智能体以自己的默认值开始。从现在起对新任务生效。$/)
      }, withFriend),
    60_000
  )

  it(
    "is chosen for channels, and not for a thread, which has no new tasks",
    () =>
      withRealStack(async (stack) => {
        const { thread } = await startTask(stack)
        const refused = await stack.ask("settings agent", { mode: "plan", channel: thread.id }).catch(String)
        assert.match(String(refused), /channel: there is no channel/)
      }, withFriend),
    60_000
  )
})
