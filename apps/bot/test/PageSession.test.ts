import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { launch, missing, pictures } from "@heddle/test-support/Chromium"
import type { Page } from "playwright-core"
import { startStack } from "./support/Stack.ts"

const views = [
  { colorScheme: "dark", width: 1280, height: 900 },
  { colorScheme: "light", width: 1280, height: 900 },
  { colorScheme: "dark", width: 390, height: 844 }
] as const

const dot = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64"
)

describe.skipIf(missing)("a complete session on the emulator's page", () => {
  it("connects, watches an answer grow, allows, answers a question, sees artifacts, stops, and lists everything", async () => {
    // What the agent waits for before it goes on, so that each state can be seen.
    const gates = new Map<string, () => void>()
    const gate = (name: string) => new Promise<void>((open) => gates.set(name, open))
    const more = gate("more")
    const stack = await startStack(async (turn) => {
      if (turn.text === "and then?") {
        turn.say("I am thinking about it …")
        await turn.cancelled
        return "cancelled"
      }
      turn.say("First I **look**")
      await more
      turn.say(" at the file, then I <b>write</b> the report.\n\n```ts\nconst rows = 500\n```\n")
      const tool = { toolCallId: "t1", title: "Write report.md", kind: "edit" }
      turn.update({ sessionUpdate: "tool_call", ...tool, status: "pending" })
      assert.strictEqual(await turn.ask(tool), "allow")
      turn.update({ sessionUpdate: "tool_call_update", toolCallId: "t1", status: "completed" })
      const questions = [{ question: "Which way?", header: "Way", options: ["left", "right"] }]
      const toolCall = { toolCallId: "q1", title: "Ask the user", rawInput: { questions } }
      const asked = await turn.request("session/request_permission", {
        toolCall,
        options: [{ optionId: "yes", name: "Answer", kind: "allow_once" }]
      })
      turn.say(JSON.stringify(asked).includes("right") ? "Right it is." : `Got ${JSON.stringify(asked)}.`)
      const times = { createdAt: Date.now(), updatedAt: Date.now() }
      turn.artifact("created", {
        type: "plan",
        uri: "agent:///artifacts/plan",
        title: "The plan",
        text: "1. look\n2. write",
        version: 1,
        ...times
      })
      turn.artifact("created", {
        type: "media",
        uri: "agent:///artifacts/chart.png",
        name: "chart.png",
        title: "A chart",
        mimeType: "image/png",
        contentType: "image",
        size: dot.length,
        ...times
      })
      return "end_turn"
    })
    const browser = await launch()
    try {
      stack.service.files.set("agent:///artifacts/chart.png", dot)
      const context = await browser.newContext({ viewport: views[0], colorScheme: "dark", reducedMotion: "reduce" })
      const page = await context.newPage()
      const wrong: Array<string> = []
      page.on("pageerror", (error) => wrong.push(String(error)))
      await page.goto(stack.emulator.page)
      await page.getByRole("button", { name: "/task new" }).waitFor()
      await picture(page, "session-1-empty")

      await page.keyboard.type("/task new")
      await page.getByRole("option", { name: /task new/ }).waitFor()
      await picture(page, "session-2-picker")
      await page.keyboard.press("Enter")
      await page.keyboard.type("What is in my file?")
      await page.keyboard.press("Enter")
      const link = page.getByRole("link", { name: "Connect your account" })
      await link.waitFor()
      await picture(page, "session-3-connect")
      const popup = context.waitForEvent("page")
      await link.click()
      const account = await popup
      const code = (await account.locator(".code").textContent()) ?? ""
      await account.close()
      await page.getByRole("button", { name: "Enter the code" }).click()
      await page.getByRole("dialog").getByRole("textbox").fill(code)
      await page.getByRole("dialog").getByRole("button", { name: "Submit" }).click()

      await page
        .getByRole("navigation")
        .getByRole("link", { name: /What is in my file/ })
        .click()
      await page.locator("strong", { hasText: "look" }).waitFor()
      await picture(page, "session-4-streaming")
      gates.get("more")?.()
      await page.getByText("then I <b>write</b> the report.").waitFor()

      const allow = page.getByRole("button", { name: "Allow once", exact: true })
      await allow.waitFor()
      await picture(page, "session-5-permission")
      await allow.click()

      await page.getByText("Which way?").first().waitFor()
      await picture(page, "session-6-question")
      await page.getByRole("combobox", { name: "Choose one" }).focus()
      for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await page.keyboard.press(key)
      await page.locator("blockquote", { hasText: "right" }).waitFor()
      await picture(page, "session-7-answered")
      await page.locator(".button", { hasText: "Send" }).click()

      await page.getByText("Right it is.").waitFor()
      await page
        .getByText(/^done ·/)
        .first()
        .waitFor()
      const chart = page.locator('img[src*="chart.png"]').first()
      await chart.waitFor({ state: "attached" })
      await chart.scrollIntoViewIfNeeded()
      await page.getByText("The plan").first().waitFor()
      await picture(page, "session-8-artifacts")

      await page.reload()
      await page.getByText("Right it is.").waitFor()
      await page.locator("#text").fill("and then?")
      await page.locator("#text").press("Enter")
      await page.getByText("I am thinking about it …").waitFor()
      await page.locator("#text").pressSequentially("/task stop")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Run the command" }).click()
      await page
        .getByText(/^stopped/)
        .first()
        .waitFor()
      await picture(page, "session-9-stopped")

      await page.locator("#text").pressSequentially("/task list")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Run the command" }).click()
      const list = page.locator(".message.ephemeral", { hasText: "What is in my file?" }).last()
      await list.waitFor()
      await picture(page, "session-10-list")
      await list.getByRole("button", { name: "Dismiss message" }).click()
      await list.waitFor({ state: "detached" })
      assert.deepStrictEqual(wrong, [])
    } finally {
      await browser.close()
      await stack.close()
    }
  }, 60_000)
})

const picture = async (page: Page, name: string) => {
  if (pictures === undefined) return
  await mkdir(pictures, { recursive: true })
  for (const { colorScheme, height, width } of views) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.setViewportSize({ width, height })
    await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`) })
  }
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" })
  await page.setViewportSize({ width: views[0].width, height: views[0].height })
}
