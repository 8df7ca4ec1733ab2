import assert from "node:assert/strict"
import { describe, it } from "vitest"
import { missing } from "@heddle/test-support/Chromium"
import { pageFixture } from "./PageFixture.ts"

describe.skipIf(missing)("reading on the page", { timeout: 60_000 }, () => {
  const stage = pageFixture()

  it("opens a thread, keeps it in the address, and reopens it after a reload", async () => {
    const page = await stage.open()
    await stage.type("/thread")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByRole("navigation").getByRole("link", { name: "A place to talk" }).click()
    await page.getByText("First words in the thread").waitFor()
    const starter = page.locator(".message").first()
    assert.match(await starter.innerText(), /Bot[^]*A thread for you/)
    assert.equal(await page.locator(".message").nth(1).locator(".author").count(), 1)
    await stage.type("half a thought")
    await page.reload()
    await page.getByText("First words in the thread").waitFor()
    assert.equal(await page.locator("#text").inputValue(), "half a thought")
    await page.keyboard.press("Enter")
    await page.locator(".message", { hasText: "half a thought" }).waitFor()
    assert.match(page.url(), new RegExp(`#/${stage.emulator().threads()[0]?.id}`))
  })

  it("edits the last message with the up arrow, replies, reacts and deletes", async () => {
    const page = await stage.open()
    await stage.type("a tpyo")
    await page.keyboard.press("Enter")
    await page.locator(".message", { hasText: "a tpyo" }).waitFor()
    await page.keyboard.press("ArrowUp")
    await page.getByLabel("Edit message").fill("a typo")
    await page.keyboard.press("Enter")
    const message = page.locator(".message", { hasText: "a typo" }).first()
    await message.getByText("(edited)").waitFor()
    await message.hover()
    await message.getByLabel("Add reaction").click()
    await message.getByRole("menuitem", { name: "party" }).click()
    await message.getByRole("button", { name: "🎉, 1" }).click()
    await message.getByRole("button", { name: "🎉, 1" }).waitFor({ state: "detached" })
    await message.hover()
    await message.getByRole("button", { name: "Reply" }).click()
    await page.keyboard.type("I agree")
    await page.keyboard.press("Enter")
    await page.locator(".message", { hasText: "I agree" }).locator(".quoted", { hasText: "a typo" }).waitFor()
    await message.hover()
    await message.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.locator(".message .markup", { hasText: /^a typo/ }).waitFor({ state: "detached" })
    await stage
      .emulator()
      .waitFor((e) => !e.messages(e.channelId).some(({ content }) => content === "a typo"), { what: "the end of it" })
  })

  it("never renders text as markup", async () => {
    const page = await stage.open()
    await stage.say(
      [
        `<script>alert(1)</script><img src=x onerror=alert(2)> <b>bold</b>`,
        `[bad](javascript:alert(3)) [worse](data:text/html,x) [mail](//evil.example) [good](https://example.com/x "t")`,
        `<@${stage.emulator().users[0]?.id}> <#${stage.emulator().channelId}> @everyone <:name:12345678901234567>`,
        "```html\n<img src=x onerror=alert(4)>\n```",
        "`<i>` ||<u>hidden</u>||"
      ].join("\n")
    )
    const message = page.locator(".message", { hasText: "<script>alert(1)</script>" })
    await message.waitFor()
    assert.match(await message.innerText(), /<img src=x onerror=alert\(2\)> <b>bold<\/b>/)
    assert.equal(await message.locator("script, img, b:not(.author), i, u").count(), 0)
    assert.deepEqual(
      await message
        .locator("a")
        .evaluateAll((links) => links.map((link) => [link.textContent, link.getAttribute("href")])),
      [
        ["good", "https://example.com/x"],
        ["#general", `#/${stage.emulator().channelId}`]
      ]
    )
    const good = message.getByRole("link", { name: "good" })
    assert.equal(await good.getAttribute("rel"), "noopener noreferrer nofollow")
    assert.equal(await good.getAttribute("target"), "_blank")
    assert.match(await message.innerText(), /@You #general @everyone :name:/)
    const policy = await page.request.get(stage.emulator().page)
    assert.match(policy.headers()["content-security-policy"] ?? "", /script-src 'self'/)
  })

  it("keeps the scroll position and offers a jump to new messages", async () => {
    for (let count = 0; count < 60; count++) await stage.say(`line ${count}`)
    const page = await stage.open()
    await page.getByText("line 59", { exact: true }).waitFor()
    const scroll = page.locator(".scroll")
    await scroll.hover()
    await page.mouse.wheel(0, -300)
    await page.getByRole("button", { name: "Jump to the latest message" }).waitFor()
    await stage.say("something new")
    await page.getByRole("button", { name: "1 new message" }).click()
    await page.getByRole("button", { name: /new message|latest/ }).waitFor({ state: "detached" })
    assert.equal(await page.getByText("something new").isVisible(), true)
    // Older messages come as the reader goes up, and what they read stays in place.
    const before = await page.locator(".message").count()
    await scroll.evaluate((element) => element.scrollTo(0, 0))
    await page.waitForFunction((count) => document.querySelectorAll(".message").length > count, before)
    assert.ok((await scroll.evaluate((element) => element.scrollTop)) > 500)
  })

  it("shows a lost connection, keeps the draft and catches up after a reconnect", async () => {
    const page = await stage.open()
    const port = Number(new URL(stage.emulator().page).port)
    await stage.type("not sent ye")
    await stage.stop()
    await page.getByText("Connection lost").waitFor()
    await page.keyboard.type("t")
    await page.keyboard.press("Enter")
    await page.getByText("The server did not answer").waitFor()
    assert.equal(await page.locator("#text").inputValue(), "not sent yet")
    assert.equal(await page.locator(".banner").getAttribute("role"), "alert")
    await stage.start(port)
    await stage.say("said while you were away")
    await page.getByText("Connection lost").waitFor({ state: "detached" })
    await page.getByText("said while you were away").waitFor()
    await page.getByText("The server did not answer").waitFor({ state: "detached" })
    await page.locator("#text").press("Enter")
    await page.locator(".message", { hasText: "not sent yet" }).waitFor()
    assert.equal(stage.emulator().messages(stage.emulator().channelId).at(-1)?.content, "not sent yet")
  })

  it("ends a pending command when the connection is lost", async () => {
    await stage.stop()
    // Long enough that the server goes away before the command has failed by itself, however busy the machine is.
    await stage.start(0, 60_000)
    const page = await stage.open()
    const port = Number(new URL(stage.emulator().page).port)
    await stage.type("/slow")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("Bot is thinking…").waitFor()
    await stage.type("/silent")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("Sending the command…").waitFor()
    await stage.stop()
    await page.getByText("Connection lost").waitFor()
    await page.getByRole("button", { name: "Try again" }).waitFor()
    assert.equal(await page.getByText("Sending the command…").count(), 0)
    await stage.start(port)
    await page.getByText("Connection lost").waitFor({ state: "detached" })
  })

  it("switches between people, who see each other's messages", async () => {
    const page = await stage.open()
    const other = await stage.open()
    await other.getByLabel(/Switch person/).click()
    await other.getByRole("link", { name: "Sam", exact: true }).click()
    await other.getByLabel(/^You are Sam/).waitFor()
    await other.locator("#text").fill("hello from Sam")
    await other.locator("#text").press("Enter")
    const message = page.locator(".message", { hasText: "hello from Sam" })
    await message.waitFor()
    assert.equal(await message.locator(".author").innerText(), "Sam")
    assert.equal(await message.getByRole("button", { name: "Edit" }).count(), 0, "other people's messages are not ours")
    await other.reload()
    await other.getByLabel(/^You are Sam/).waitFor()
    await other.goBack()
    await other.getByLabel(/^You are You/).waitFor()
  })

  it("follows the system theme or the chosen one", async () => {
    const page = await stage.open("", { colorScheme: "light" })
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await ground()
    await page.getByRole("button", { name: /Switch to light/ }).click()
    await page.getByRole("button", { name: /Switch to dark/ }).click()
    assert.notEqual(await ground(), light)
    await page.reload()
    await page.locator("#text:enabled").waitFor()
    assert.notEqual(await ground(), light)
  })

  it("fits a phone: the channel list is a drawer", async () => {
    const page = await stage.open("", { width: 390, height: 844 })
    assert.equal(await page.getByRole("link", { name: "general" }).isVisible(), false)
    await page.getByRole("button", { name: "Show the channel list" }).click()
    await page.getByRole("navigation").getByRole("link", { name: "A place to talk" }).click()
    await page.getByText("First words in the thread").waitFor()
    await page.getByRole("navigation").waitFor({ state: "hidden" })
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  })

  it("keeps an embed within a phone's screen: a long line of code scrolls in its block", async () => {
    const page = await stage.open("", { width: 390, height: 844 })
    const { api, botToken, channelId } = stage.emulator()
    await fetch(`${api}/v10/channels/${channelId}/messages`, {
      method: "POST",
      headers: { authorization: `Bot ${botToken}`, "content-type": "application/json" },
      body: JSON.stringify({
        embeds: [{ title: "A change", description: `\`\`\`diff\n+${"long ".repeat(40)}\n\`\`\`` }]
      })
    })
    const code = page.locator(".embed pre").last()
    await code.waitFor()
    const { width, x } = (await code.boundingBox()) ?? { width: 0, x: 0 }
    assert.ok(width > 0 && x + width <= 390, `it ends at ${x + width}`)
  })
})
