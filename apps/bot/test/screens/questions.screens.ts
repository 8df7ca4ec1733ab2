import { controls } from "../support/Controls.ts"
import { type startStack, withStack } from "../support/Stack.ts"
import { type Camera, film, sit } from "./Camera.ts"

type Turn = Parameters<Parameters<typeof startStack>[0]>[0]
type Say = Camera["say"]

const options = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Deny", kind: "reject_once" }
]

/** Everything that an agent may ask, one after the other. */
const asking = (say: Say) => async (turn: Turn) => {
  const ask = (toolCall: object, given: ReadonlyArray<object> = options) =>
    turn.request("session/request_permission", { toolCall, options: given })
  const questions = (title: string, ...all: ReadonlyArray<object>) =>
    ask({ toolCallId: title, title, rawInput: { questions: all } })
  const form = (message: string, properties: object, required: ReadonlyArray<string> = []) =>
    turn.request("elicitation/create", {
      mode: "form",
      message,
      requestedSchema: { type: "object", properties, required }
    })
  switch (turn.text) {
    case "wait":
      await ask({ toolCallId: "late", title: say("Publish the release", "发布版本"), kind: "execute" })
      return "end_turn"
    case "several":
      await Promise.race([
        turn.cancelled,
        Promise.all(
          [1, 2, 3, 4, 5, 6, 7].map((n) => ask({ toolCallId: `s${n}`, title: say(`Step ${n}`, `第 ${n} 步`) }))
        )
      ])
      return "cancelled"
  }
  await ask({
    toolCallId: "run",
    title: say("Clean and build", "清理并构建"),
    kind: "execute",
    rawInput: { command: "rm -rf build && pnpm build" }
  })
  await ask({ toolCallId: "deny", title: say("Delete the old logs", "删除旧日志"), kind: "delete" })
  await ask(
    { toolCallId: "many", title: say("Deploy to", "部署到") },
    Array.from({ length: 30 }, (_, n) => ({
      optionId: `o${n}`,
      name: `${say("Region", "区域")} ${n + 1}`,
      kind: "allow_once"
    }))
  )
  await questions(say("Choose a country", "选择国家"), {
    question: say("Where do your customers live?", "你的客户在哪里？"),
    options: Array.from({ length: 60 }, (_, n) => `${say("Country", "国家")} ${n + 1}`)
  })
  const long = (words: string) => Array.from({ length: 12 }, () => words).join(say(" ", "，"))
  await questions(
    say("The tests", "测试"),
    {
      question: say("Which parts are to be tested?", "测试哪些部分？"),
      header: say("Parts", "范围"),
      options: ["api", "page", "bot"],
      multiSelect: true
    },
    {
      question: say("How thoroughly?", "测试到什么程度？"),
      options: [
        { label: say("Quickly", "快速"), description: long(say("the main ways only", "只测主要路径")) },
        { label: say("Wholly", "全面"), description: long(say("every way and every failure", "所有路径和失败")) }
      ]
    },
    { question: say("Anything else?", "还有什么要说的吗？") }
  )
  await form(
    say("What should the release be?", "版本要怎样？"),
    {
      name: { type: "string", title: say("Name", "名称"), minLength: 2, maxLength: 20 },
      ratio: { type: "number", title: say("Share of users", "用户比例"), minimum: 0, maximum: 1 },
      sure: { type: "boolean", title: say("Are you sure?", "确定吗？") },
      tags: {
        type: "array",
        title: say("Tags", "标签"),
        minItems: 2,
        items: { type: "string", enum: ["a", "b", "c"] }
      }
    },
    ["name", "sure"]
  )
  await form(say("Shall I go on with another release?", "要继续下一个版本吗？"), {})
  turn.say(say("Thank you.", "谢谢。"))
  return "end_turn"
}

film("what an agent asks", async (camera) =>
  withStack(
    asking(camera.say),
    async (stack) => {
      const { emulator, shows, start, you } = stack
      const { say } = camera
      const thread = await start(say("Ask me everything", "问我所有问题"))
      const { besides, page } = await sit(camera, emulator, thread)
      const { choose, press, write } = controls(stack, thread)
      const pause = () => page.waitForTimeout(500)
      const newest = () => page.locator(".message", { has: page.locator("button.button, [role=combobox]") }).last()
      const open = async (name: string, says: string) => {
        await page.locator(".message", { hasText: says }).last().waitFor()
        await pause()
        await camera.part(page, name, newest())
      }
      /** The newest card without active buttons. */
      const settled = async (name: string, says: string) => {
        const card = page.locator(".message", { hasText: says }).last()
        await card.locator("button.button").first().waitFor({ state: "detached" })
        await pause()
        await camera.part(page, name, card)
      }
      const pressed = (who: typeof you) => (id: RegExp) => controls({ emulator, you: who }, thread).press(id)

      await open("q01-permission", say("Clean and build", "清理并构建"))
      const { page: ofSam, ...sam } = await sit(camera, emulator, thread, emulator.user("Sam"))
      await pressed(emulator.user("Sam"))(/^p1:.*:0$/)
      await sam.besides("q02-not-yours", /./)
      await ofSam.close()
      await Promise.all([press(/^p1:.*:0$/), press(/^p1:.*:1$/)])
      await besides("q03-answered-before", /./)
      await settled("q04-answered", say("Clean and build", "清理并构建"))
      await open("q05-permission-plain", say("Delete the old logs", "删除旧日志"))
      await press(/^p1:.*:1$/)
      await settled("q06-denied", say("Delete the old logs", "删除旧日志"))
      await open("q07-many-options", say("Deploy to", "部署到"))
      await newest().locator("[role=combobox]").click()
      await pause()
      await camera.screen(page, "q08-many-options-menu")
      await page.keyboard.press("Escape")
      await press(/^q1:.*:p:1$/)
      await pause()
      await choose(/^q1:.*:o$/, "27")
      await settled("q09-option-chosen", say("Deploy to", "部署到"))

      await open("q10-sixty-options", say("customers", "客户"))
      await press(/:g:0:1$/)
      await pause()
      await camera.part(page, "q11-second-page", newest())
      await choose(/:s:0:1$/, "33")
      await pause()
      await camera.part(page, "q12-chosen", newest())
      await press(/:f$/)
      await open("q13-several-choices", say("Which parts", "哪些部分"))
      await choose(/:s:0:0$/, "0", "2")
      await pause()
      await camera.part(page, "q14-draft", newest())
      await press(/:g:1:0$/)
      await open("q15-long-descriptions", say("How thoroughly", "什么程度"))
      await press(/:g:0:0$/)
      await open("q16-draft-kept", say("Which parts", "哪些部分"))
      await press(/:g:1:0$/)
      await choose(/:s:1:0$/, "1")
      await press(/:g:2:0$/)
      await open("q17-free-text", say("Anything else", "还有什么"))
      await newest().locator("button.button").nth(1).click()
      const dialog = page.getByRole("dialog")
      await dialog.getByRole("textbox").fill(say("Please be kind to the database.", "请不要给数据库太大压力。"))
      await camera.screen(page, "q18-free-text-form")
      await dialog.locator("button[type=submit]").click()
      await dialog.waitFor({ state: "detached" })
      await pause()
      await camera.part(page, "q19-free-text-given", newest())
      await press(/:f$/)
      await settled("q20-all-answered", say("Anything else", "还有什么"))

      await open("q21-form", say("What should the release be", "版本要怎样"))
      await write(/:w:0$/, "Heddle")
      await write(/:w:1$/, "2")
      await besides("q22-misfit", /The maximum is 1|不能超过/)
      await camera.part(page, "q23-number-asked", newest())
      await write(/:w:1$/, "0.5")
      await open("q24-yes-or-no", say("Are you sure", "确定吗"))
      await choose(/:s:2:0$/, "1")
      await choose(/:s:3:0$/, "0")
      await press(/:f$/)
      await besides("q25-too-few", /The minimum is 2|不能少于/)
      await camera.part(page, "q26-too-few-card", newest())
      await press(/:n$/)
      await settled("q27-declined", say("What should the release be", "版本要怎样"))
      await open("q28-yes-to-all", say("another release", "下一个版本"))
      await press(/:f$/)
      await settled("q29-accepted", say("another release", "下一个版本"))
      await shows(thread, /-# (done|完成) ·/)

      await you.send(thread, "several")
      await open("q30-several-at-once", say("Step 5", "第 5 步"))
      await camera.screen(page, "q31-several-screen", { high: 1500 })
      await you.send(thread, "stop")
      await settled("q32-withdrawn", say("Step 5", "第 5 步"))
      await camera.screen(page, "q33-withdrawn-screen", { high: 1500 })
    },
    { emulator: { locale: camera.language, botName: "Heddle" } }
  )
)

film("a question without an answer", async (camera) =>
  withStack(
    asking(camera.say),
    async ({ emulator, start }) => {
      const thread = await start("wait")
      const { page } = await sit(camera, emulator, thread)
      const card = page.locator(".message", { hasText: "⌛" })
      await card.waitFor()
      await camera.part(page, "q40-not-in-time", card)
    },
    { emulator: { locale: camera.language, botName: "Heddle" }, answerDeadlineMs: 1500 }
  )
)
