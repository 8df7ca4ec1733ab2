import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodePath from "@effect/platform-node/NodePath"
import { describe, it } from "@effect/vitest"
import * as BotConfig from "@heddle/bot/operate/BotConfig"
import * as Doctor from "@heddle/bot/operate/Doctor"
import * as Effect from "effect/Effect"
import { startStack, withStack } from "../support/Stack.ts"
import * as Camera from "./Camera.ts"

type Turn = Parameters<Parameters<typeof startStack>[0]>[0]

/** An agent that shows everything that a turn may hold; it continues on a signal. */
const player = (say: Camera.Camera["say"]) => {
  let open = () => {}
  const more = new Promise<void>((resolve) => (open = resolve))
  const script = async (turn: Turn) => {
    const step = (id: string, title: string, status: string) =>
      turn.update({ sessionUpdate: "tool_call", toolCallId: id, title, kind: "read", status })
    turn.say(say("First I **look** around.", "我先**看看**情况。"))
    step("1", say("Read src/index.ts", "读取 src/index.ts"), "completed")
    step("2", say("Run the tests", "运行测试"), "failed")
    step("3", say("Search for `connect`", "搜索 `connect`"), "in_progress")
    await more
    turn.update({ sessionUpdate: "tool_call_update", toolCallId: "3", status: "completed" })
    const times = { createdAt: Date.now(), updatedAt: Date.now() }
    const artifact = (type: string, name: string, rest: object) => ({
      type,
      uri: `agent:///artifacts/${name}`,
      ...times,
      ...rest
    })
    const plan = (version: number, text: string, previousText?: string) =>
      artifact("plan", "plan.md", {
        title: say("Plan", "计划"),
        text,
        version,
        ...(previousText === undefined ? {} : { previousText })
      })
    const first = say("1. Look\n2. Change the retry\n3. Test", "1. 查看\n2. 修改重试\n3. 测试")
    const second = say(
      "1. Look\n2. Change the retry\n3. Add a test\n4. Test",
      "1. 查看\n2. 修改重试\n3. 增加测试\n4. 测试"
    )
    turn.artifact("created", plan(1, first))
    turn.artifact("updated", plan(2, second, first))
    const tasks = ["completed", "in_progress", "pending", "cancelled"].map((status, n) => ({
      content: [
        say("Look", "查看"),
        say("Change the retry", "修改重试"),
        say("Add a test", "增加测试"),
        say("Rewrite it all", "全部重写")
      ][n],
      status
    }))
    turn.artifact("created", artifact("tasks", "tasks.json", { title: say("Tasks", "任务清单"), tasks }))
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
    const media = (name: string, size: number, contentType: string, mimeType: string) =>
      artifact("media", name, { name, title: name.replace(/\.\w+$/, ""), mimeType, contentType, size })
    turn.artifact("created", media("recording.mp4", 64_000_000, "video", "video/mp4"))
    turn.artifact("created", media("chart.png", picture.length, "image", "image/png"))
    turn.artifact("created", media("old.png", picture.length, "image", "image/png"))
    turn.artifact("deleted", media("old.png", picture.length, "image", "image/png"))
    turn.artifact("created", media("lost.pdf", 1200, "document", "application/pdf"))
    turn.artifact(
      "created",
      artifact("overview", "summary.md", {
        title: say("Summary", "总结"),
        text: say("- The retry waits.\n- Tests pass.", "- 重试会等待。\n- 测试通过。")
      })
    )
    turn.say(say("All is done. `pnpm test` passes.", "全部完成，`pnpm test` 通过。"))
    return { stopReason: "end_turn", usage: { totalTokens: 18_234, inputTokens: 17_000, outputTokens: 1234 } }
  }
  return { script, open: () => open() }
}

/** A square of one colour. */
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAVElEQVR42u3PQQ0AAAgEoNO+lTWFDzdoQCWT1zpPBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBO4tXrABQ0w1jTcAAAAASUVORK5CYII=",
  "base64"
)

Camera.film("a turn with everything in it", async (camera) => {
  const { open, script } = player(camera.say)
  await withStack(
    script,
    async ({ emulator, service, shows, start, you }) => {
      const { say, screen } = camera
      for (const name of ["chart.png", "old.png"]) service.files.set(`agent:///artifacts/${name}`, picture)
      const thread = await start(say("Change the retry", "修改重试"))
      const { page, part } = await Camera.sit(camera, emulator, thread)
      await shows(thread, /connect/)
      await page.waitForTimeout(700)
      await screen(page, "t01-working")
      open()
      await page.locator("button.button").nth(2).waitFor()
      await page.waitForTimeout(700)
      await screen(page, "t02-permission")
      await you.send(thread, say("and update the docs", "顺便更新文档"))
      await emulator.user("Sam").send(thread, say("may I help?", "我也想试试"))
      await you.send(thread, "/task stop")
      await page.getByText(say("and update the docs", "顺便更新文档")).nth(1).waitFor()
      await page.waitForTimeout(700)
      await screen(page, "t03-queue")
      const waiting = emulator
        .messages(thread)
        .find(({ content }) => content === say("and update the docs", "顺便更新文档"))!
      await you.delete(thread, waiting.id)
      await page.locator("button.button").nth(1).click()
      await shows(thread, /-# (done|完成) ·/)
      await page.waitForTimeout(1500)
      await screen(page, "t04-whole-turn", { high: 2600 })
      await screen(page, "t05-end")
      const ask = async (path: string, more = {}) => (await you.command(thread, path, more)).settled()
      await part("t06-artifacts", await ask("artifacts list"))
      await part("t07-download-fails", await ask("artifacts download", { name: "#5" }))
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
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
