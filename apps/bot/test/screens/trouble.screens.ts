import { setRule } from "../support/Settings.ts"
import { rest } from "../support/Rest.ts"
import { buttonsOf, confirm, press, type startStack, withStack } from "../support/Stack.ts"
import { film, sit } from "./Camera.ts"

type Turn = Parameters<Parameters<typeof startStack>[0]>[0]

/** An agent whose answer depends on the prompt; it may work until it is stopped. */
const agent = async (turn: Turn) => {
  if (/busy|忙/.test(turn.text)) {
    turn.say("…")
    await turn.cancelled
    return "cancelled"
  }
  if (/long|长/.test(turn.text)) {
    const line = /长/.test(turn.text) ? "这一行说明一个发现。" : "This line tells of one finding. "
    turn.say(Array.from({ length: 4000 }, (_, n) => `${n + 1}. ${line}`).join("\n"))
    return "max_tokens"
  }
  turn.say(
    "## Forms\n\n| name | count |\n|---|---:|\n| a | 1 |\n| b | 22 |\n\n```ts\nconst retry = (tries: number) => tries + 1\n```\n\n> quoted, with [a link](https://example.com) and `code`\n\n- [x] done\n- [ ] to do"
  )
  return { stopReason: "end_turn", usage: { totalTokens: 1834, inputTokens: 1700, outputTokens: 134 } }
}

film("other ways in, and long lists", async (camera) =>
  withStack(
    agent,
    async ({ emulator, service, shows, start, you }) => {
      const { say } = camera
      const { page, part } = await sit(camera, emulator)
      const newest = async (name: string) => {
        await page.waitForTimeout(1200)
        await camera.part(page, name)
      }
      const bot = `<@${emulator.applicationId}>`
      const { id } = await you.send(emulator.channelId, `${bot} ${say("show me forms", "给我看看格式")}`)
      await shows(id, /Forms/)
      const { page: inThread } = await sit(camera, emulator, id)
      await inThread.waitForTimeout(800)
      await camera.screen(inThread, "x01-by-mention", { high: 1100 })
      await page.waitForTimeout(500)
      await camera.part(page, "x02-mention-in-channel", page.locator(`#m${id}`))
      const sam = emulator.user("Sam")
      await sam.send(emulator.channelId, `${bot} ${say("help me, too", "也帮帮我")}`)
      await newest("x03-connect-first-in-public")
      const asks = emulator.messages(emulator.channelId).findLast((each) => (each.components ?? []).length > 0)!
      const { part: ofSam } = await sit(camera, emulator, undefined, sam)
      const invited = await press(sam, asks, "c1:connect")
      await ofSam("x04-link-for-sam", invited)
      await ofSam("x05-connected-and-going-on", await confirm(emulator, invited, undefined, sam))
      await page.locator(`#m${asks.id}`).waitFor({ state: "detached" })
      await camera.screen(page, "x06-no-more-to-press")
      const said = await sam.send(emulator.channelId, say("Somebody should look at the forms", "有人看看这些格式吧"))
      await (await you.messageCommand(emulator.channelId, said.id, "Start a task with this message")).settled()
      await newest("x07-by-menu")
      const forum = await rest(emulator, "POST", `/guilds/${emulator.guildId}/channels`, {
        name: "tasks",
        type: 15,
        topic: `${say("Every post here is a task for", "这里的每个帖子都是任务，交给")} ${bot}`
      })
      const post = await you.post(forum["id"], say("Forms", "格式"), say("show me all forms", "给我看所有格式"))
      await shows(post.id, /Forms/)
      const posts = await camera.open(`${emulator.page}#/${forum["id"]}`)
      await posts.locator(".post").waitFor()
      await posts.waitForTimeout(800)
      await camera.screen(posts, "x08-forum")
      await posts.close()

      for (let n = 1; n <= 14; n++) {
        service.tasks.set(`t-${n}`, {
          id: `t-${n}`,
          name: `${say("Task", "任务")} ${n}`,
          status: ["idle", "working", "completed", "failed"][n % 4]
        } as never)
      }
      const list = await (await you.command(emulator.channelId, "task list")).settled()
      await part("x09-task-list", list)
      await press(you, list, buttonsOf(list).at(-1)!.custom_id)
      await part("x10-task-list-end", list)
      await part(
        "x11-task-open",
        await (await you.command(emulator.channelId, "task open", { task: "task-1" })).settled()
      )
      await part(
        "x12-status-of-another",
        await (await you.command(emulator.channelId, "task status", { task: "t-3" })).settled()
      )

      const long = await start(say("a long answer", "长一点的回答"))
      await shows(long, /-# .*(length limit|长度)/, 60_000)
      const { page: inLong } = await sit(camera, emulator, long)
      await inLong.waitForTimeout(1500)
      await camera.screen(inLong, "x13-long-answer")
      service.state.creditsUsed = 900
      await part("x14-credit-low", await (await you.command(emulator.channelId, "credit")).settled())
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
)

film("what goes wrong", async (camera) =>
  withStack(
    agent,
    async ({ emulator, service, shows, start, you }) => {
      const { say } = camera
      const { page, part } = await sit(camera, emulator)
      const ask = async (path: string, more = {}) => (await you.command(emulator.channelId, path, more)).settled()
      service.state.createError = {
        status: 403,
        body: { error: "access_denied", error_description: "No credits are left.", request_id: "req-7f3a" }
      }
      await part("y01-refused", await ask("task new", { prompt: say("one more", "再来一个") }), /req-7f3a/)
      service.state.createError = undefined
      service.state.down = true
      await part("y02-down", await ask("credit"))
      service.state.down = false
      await part("y03-no-tasks", await ask("task list"))
      const thread = await start(say("show me forms", "给我看看格式"))
      await shows(thread, /Forms/)
      const { page: inThread } = await sit(camera, emulator, thread)
      const answered = async (name: string, says: RegExp) => {
        await shows(thread, says, 20_000)
        await inThread.waitForTimeout(800)
        await camera.part(inThread, name)
      }
      service.state.refusePrompt = "The model is overloaded"
      await you.send(thread, say("go on", "继续"))
      await answered("y04-agent-refused", /overloaded/)
      service.state.refuseReason = "no_credits"
      await you.send(thread, say("go on now", "现在继续"))
      await answered("y05-no-credits", /(credit`|credit:)/)
      service.state.refusePrompt = undefined
      service.state.refuseReason = undefined
      const first = await you.send(thread, say("busy with this", "忙这个"))
      await shows(thread, /…/)
      await you.send(thread, say("and then that", "然后那个"))
      await you.edit(thread, first.id, say("busy with something else", "忙别的"))
      await emulator.user("Sam").send(thread, say("may I help?", "我能帮忙吗？"))
      await inThread.waitForTimeout(1500)
      await camera.screen(inThread, "y06-queue-and-others")
      await you.send(thread, "stop")
      await shows(thread, /-# .*(stopped|停止)/)
      service.state.refuseTokens = true
      service.state.token = "ended"
      service.cutStreams()
      await you.send(thread, say("go on then", "那就继续吧"))
      await inThread.locator("button.button").last().waitFor()
      await inThread.waitForTimeout(800)
      await camera.screen(inThread, "y07-connect-again")
      const asks = emulator
        .messages(thread)
        .findLast((each) => buttonsOf(each).some((button) => button.custom_id === "c1:connect"))!
      const invited = await press(you, asks, "c1:connect")
      await inThread.locator(`#m${invited.id}`).waitFor()
      await camera.part(inThread, "y08-link-in-thread", invited.id)
      await confirm(emulator, invited)
      await shows(thread, /Forms[^]*Forms/, 20_000)
      await inThread.waitForTimeout(800)
      await camera.screen(inThread, "y09-goes-on")

      await setRule(emulator, you, "deny", "start").catch(() => undefined)
      await part("y10-ruled-out", await ask("task new", { prompt: "x" }))
      const direct = await you.openDirect()
      await you.direct(say("Please do something", "请帮我做点事"))
      const { page: alone } = await sit(camera, emulator, direct)
      await alone.locator(".message").nth(1).waitFor()
      await camera.screen(alone, "y11-direct")
      await page.close()
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
)
