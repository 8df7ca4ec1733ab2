import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodePath from "@effect/platform-node/NodePath"
import { describe, it } from "@effect/vitest"
import * as BotConfig from "@heddle/bot/BotConfig"
import * as Doctor from "@heddle/bot/doctor/Doctor"
import * as Effect from "effect/Effect"
import { type Stack, startStack, withStack } from "../support/Stack.ts"
import * as Camera from "./Camera.ts"

type Turn = Parameters<Parameters<typeof startStack>[0]>[0]

/** An agent that plays a session with everything in it; it goes on where a gate is opened. */
const player = (chinese: boolean) => {
  const say = (english: string, other: string) => (chinese ? other : english)
  const gates = new Map<string, () => void>()
  const gate = (name: string) => new Promise<void>((open) => gates.set(name, open))
  const more = gate("more")
  const script = async (turn: Turn) => {
    if (turn.text.includes("?")) {
      turn.say(say("I am on it …", "正在处理……"))
      await turn.cancelled
      return "cancelled"
    }
    const step = (id: string, title: string, status: string) =>
      turn.update({ sessionUpdate: "tool_call", toolCallId: id, title, kind: "read", status })
    turn.say(say("First I **look** around.", "我先**看看**情况。"))
    step("1", say("Read src/index.ts", "读取 src/index.ts"), "completed")
    step("2", say("Run the tests", "运行测试"), "failed")
    step("3", say("Search for `connect`", "搜索 `connect`"), "in_progress")
    await more
    turn.update({ sessionUpdate: "tool_call_update", toolCallId: "3", status: "completed" })
    const times = { createdAt: Date.now(), updatedAt: Date.now() }
    const plan = (version: number, text: string, previousText?: string) => ({
      type: "plan",
      uri: "agent:///artifacts/plan.md",
      title: "Plan",
      text,
      version,
      ...times,
      ...(previousText === undefined ? {} : { previousText })
    })
    const first = say("1. Look\n2. Change the retry\n3. Test", "1. 查看\n2. 修改重试\n3. 测试")
    const second = say(
      "1. Look\n2. Change the retry\n3. Add a test\n4. Test",
      "1. 查看\n2. 修改重试\n3. 增加测试\n4. 测试"
    )
    turn.artifact("created", plan(1, first))
    turn.artifact("updated", plan(2, second, first))
    turn.artifact("created", {
      type: "tasks",
      uri: "agent:///artifacts/tasks.json",
      title: "Tasks",
      tasks: [
        { content: say("Look", "查看"), status: "completed" },
        { content: say("Change the retry", "修改重试"), status: "in_progress" },
        { content: say("Add a test", "增加测试"), status: "pending" },
        { content: say("Rewrite it all", "全部重写"), status: "cancelled" }
      ],
      ...times
    })
    const tool = {
      toolCallId: "4",
      title: say("Write src/retry.ts", "写入 src/retry.ts"),
      kind: "edit",
      content: [
        {
          type: "diff",
          path: "src/retry.ts",
          oldText: "const tries = 3\nexport const retry = run(tries)\n",
          newText: "const tries = 5\nconst wait = 200\nexport const retry = run(tries, wait)\n"
        }
      ]
    }
    turn.update({ sessionUpdate: "tool_call", ...tool, status: "pending" })
    await turn.ask(tool, [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow in this session", kind: "allow_always" },
      { optionId: "no", name: "Deny", kind: "reject_once" }
    ])
    turn.update({ sessionUpdate: "tool_call_update", toolCallId: "4", status: "completed" })
    const questions = [
      {
        question: say("Which database should the tests use?", "测试使用哪个数据库？"),
        header: say("Database", "数据库"),
        options: [
          { label: "SQLite", description: say("Fast, nothing to install", "快速，无需安装") },
          { label: "PostgreSQL", description: say("As in production", "与生产环境一致") }
        ]
      },
      { question: say("Which parts?", "哪些部分？"), options: ["api", "page", "bot"], multiSelect: true }
    ]
    await turn.request("session/request_permission", {
      toolCall: { toolCallId: "q1", title: "Ask the user", rawInput: { questions } },
      options: [{ optionId: "yes", name: "Answer", kind: "allow_once" }]
    })
    await turn.request("elicitation/create", {
      mode: "form",
      message: say("The release", "发布"),
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", title: say("Name", "名称"), minLength: 2 },
          count: { type: "integer", title: say("How many", "数量") },
          sure: { type: "boolean", title: say("Sure", "确定") }
        },
        required: ["name", "sure"]
      }
    })
    turn.artifact("created", {
      type: "media",
      uri: "agent:///artifacts/recording.mp4",
      name: "recording.mp4",
      title: say("A recording", "录像"),
      mimeType: "video/mp4",
      contentType: "video",
      size: 64_000_000,
      ...times
    })
    turn.artifact("created", {
      type: "overview",
      uri: "agent:///artifacts/summary.md",
      title: "Summary",
      text: say("- The retry waits.\n- Tests pass.", "- 重试会等待。\n- 测试通过。"),
      ...times
    })
    turn.say(say("All is done. `pnpm test` passes.", "全部完成，`pnpm test` 通过。"))
    return { stopReason: "end_turn", usage: { totalTokens: 18_234, inputTokens: 17_000, outputTokens: 1234 } }
  }
  return { script, open: (name: string) => gates.get(name)?.() }
}

const walk = async (stack: Stack, camera: Camera.Camera, open: (name: string) => void) => {
  const { emulator, service, shows, start, you } = stack
  const chinese = camera.language === "zh-CN"
  const thread = await start(chinese ? "修改重试" : "Change the retry")
  const page = await camera.open(`${emulator.page}#/${thread}`)
  const pause = () => page.waitForTimeout(700)
  await shows(thread, /connect/)
  await pause()
  await camera.screen(page, "t01-working", { phone: true })
  open("more")
  await shows(thread, /retry\.ts/)
  await page.locator("button.button").nth(1).waitFor()
  await pause()
  await camera.screen(page, "t02-permission", { phone: true })
  await you.send(thread, chinese ? "顺便更新文档" : "and update the docs")
  await emulator.user("Sam").send(thread, chinese ? "我也想试试" : "may I help?")
  await you.send(thread, "/task stop")
  await pause()
  await camera.screen(page, "t03-queue", { phone: true })
  await page.locator("button.button").nth(1).click()
  await page.locator("select-menu, [role=combobox]").first().waitFor()
  await pause()
  await camera.screen(page, "t04-question", { phone: true })
  const asking = page.locator(".message", { has: page.locator("[role=combobox]") }).last()
  const combo = asking.locator("[role=combobox]").first()
  await combo.click()
  await pause()
  await camera.screen(page, "t05-question-menu")
  for (const key of ["ArrowDown", "Enter"]) await page.keyboard.press(key)
  await pause()
  await camera.part(page, "t06-chosen", asking)
  const dialog = page.getByRole("dialog")
  await asking.locator("button.button").nth(1).click()
  await dialog.getByRole("textbox").fill(chinese ? "只测试重试" : "Only the retry")
  await camera.screen(page, "t07-own-words", { phone: true })
  await dialog.locator("button[type=submit]").click()
  await dialog.waitFor({ state: "detached" })
  await pause()
  await camera.part(page, "t08-answered-in-own-words", asking)
  await asking.locator("button.button").nth(2).click()
  const form = page.locator(".message", { has: page.locator("button.button") }).last()
  await form
    .getByText(chinese ? "名称" : "Name")
    .first()
    .waitFor()
  await pause()
  await camera.part(page, "t09-form-text", form)
  await form.locator("button.button").first().click()
  await dialog.getByRole("textbox").waitFor()
  await camera.screen(page, "t10-form-text-open")
  await page.keyboard.press("Escape")
  await page.close()
  await you.send(thread, "stop")
  await pauseFor(1500)
  const again = await camera.open(`${emulator.page}#/${thread}`)
  await again.waitForTimeout(1200)
  await camera.screen(again, "t11-stopped", { high: 2200 })
  await again.close()

  // What goes wrong.
  const channel = await camera.open(emulator.page)
  service.state.createError = {
    status: 403,
    body: { error: "access_denied", error_description: "No credits are left.", request_id: "req-7f3a" }
  }
  await you.command(emulator.channelId, "task new", { prompt: "one more" })
  await channel.waitForTimeout(1200)
  await camera.part(channel, "t20-refused")
  service.state.createError = undefined
  service.state.down = true
  await (await you.command(emulator.channelId, "credit")).settled()
  await channel.waitForTimeout(500)
  await camera.part(channel, "t21-down")
  service.state.down = false
  const other = await start("busy?")
  await shows(other, /…|……/)
  service.state.refuseTokens = true
  service.state.token = "ended"
  service.cutStreams()
  await pauseFor(3000)
  const cut = await camera.open(`${emulator.page}#/${other}`)
  await cut.waitForTimeout(1000)
  await camera.screen(cut, "t22-connect-again", { phone: true })
}

const pauseFor = (ms: number) => new Promise((done) => setTimeout(done, ms))

describe.each(Camera.languages)("a conversation and what goes wrong in it, in %s", (language) => {
  it("is taken", { timeout: 200_000 }, async () => {
    const browser = await Camera.launch()
    const { open, script } = player(language === "zh-CN")
    try {
      const camera = await Camera.makeCamera(browser, language)
      await withStack(script, (stack) => walk(stack, camera, open), {
        emulator: { locale: language, botName: "Heddle", limits: "fast" }
      })
    } finally {
      await browser.close()
    }
  })
})

describe("what the doctor says", () => {
  it("is written down", { timeout: 60_000 }, async () => {
    const stack = await startStack(async () => "end_turn", {
      emulator: { refusedIntents: 1 << 15, botPermissions: "1024" }
    })
    try {
      const asked = await Effect.runPromise(
        BotConfig.read(["doctor"], {
          DISCORD_TOKEN: stack.emulator.botToken,
          DISCORD_API: stack.emulator.api,
          HEDDLE_BASE_URL: stack.service.url,
          HEDDLE_CLIENT_ID: "app",
          HEDDLE_CLIENT_SECRET: "secret",
          HEDDLE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
          HEDDLE_DATA: join(stack.dataDir, "other"),
          HEDDLE_PUBLIC_URL: "https://bot.example"
        })
      )
      if (asked._tag !== "Doctor") throw new Error("it was not asked for")
      const report = await Doctor.examine(asked.settings, asked.problems).pipe(
        Effect.provide([NodeFileSystem.layer, NodeHttpClient.layerUndici, NodePath.layer]),
        Effect.runPromise
      )
      await writeFile(join(Camera.folder, "doctor.txt"), Doctor.text(report))
    } finally {
      await stack.close()
    }
  })
})
