import assert from "node:assert/strict"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Emulator, startEmulator } from "@heddle/discord-emulator"
import type { Client } from "discord.js"
import type { Browser, Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, describe, it } from "vitest"
import { login } from "./Bot.ts"
import { buildPage, launch, noBrowser } from "./Browser.ts"
import { givePageCommands } from "./PageBot.ts"

describe.skipIf(noBrowser !== undefined)("the page", () => {
  let browser: Browser
  let data: string
  let emulator: Emulator
  let client: Client<true>
  let release: () => void
  let page: Page
  const pages: Array<Page> = []
  const wrong: Array<string> = []

  const start = async (port = 0): Promise<void> => {
    emulator = await startEmulator({ limits: "fast", data, port, interactionMs: 700, log: () => undefined })
    client = await login(emulator)
    ;({ release } = await givePageCommands(client))
  }

  /** Opens a page of its own, as a person would in a new tab. */
  const open = async (hash = "", viewport = { width: 1280, height: 800 }): Promise<Page> => {
    page = await browser.newPage({ viewport })
    page.setDefaultTimeout(5000)
    pages.push(page)
    page.on("pageerror", (error) => wrong.push(String(error)))
    page.on("dialog", (dialog) => {
      wrong.push(`a script ran: ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on("request", (request) => {
      if (!request.url().startsWith(emulator.page) && !/^(data|blob):/.test(request.url()))
        wrong.push(`asked for ${request.url()}`)
    })
    await page.goto(`${emulator.page}${hash}`)
    await page.locator("#text").waitFor()
    return page
  }
  const say = async (text: string): Promise<void> => {
    const channel = await client.channels.fetch(emulator.channelId)
    if (channel?.isSendable() === true) await channel.send(text)
  }
  const last = (): Locator => page.locator(".message").last()
  const type = async (text: string): Promise<void> => {
    await page.locator("#text").focus()
    await page.keyboard.type(text)
  }

  beforeAll(async () => {
    await buildPage()
    data = await mkdtemp(join(tmpdir(), "page-"))
    browser = await launch()
    await start()
  }, 30_000)
  afterEach(async () => {
    await Promise.all(pages.splice(0).map((opened) => opened.close()))
    assert.deepEqual(wrong.splice(0), [])
  })
  afterAll(async () => {
    await browser.close()
    await client.destroy()
    await emulator.close()
    await rm(data, { recursive: true })
  })

  it("teaches what the bot can do, and runs a command with its options by keyboard alone", async () => {
    await open()
    await page.getByRole("button", { name: "/note add" }).waitFor()
    await type("/no")
    await page.getByRole("option", { name: /note add/ }).waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("is required").waitFor()
    await page.keyboard.type("buy **milk**")
    await page.getByRole("button", { name: "times" }).click()
    await page.keyboard.type("7")
    await page.keyboard.press("Enter")
    await page.getByText("must be 3 or less").waitFor()
    await page.keyboard.press("Backspace")
    await page.keyboard.type("2")
    await page.getByRole("button", { name: "shelf" }).click()
    await page.keyboard.type("bott")
    await page.getByRole("option", { name: "bottom shelf" }).waitFor()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    const note = page.locator(".message", { has: page.locator(".embed") })
    await note.getByText("A note").waitFor()
    assert.equal(await note.locator("strong").textContent(), "milk")
    assert.deepEqual(await note.locator("dd").allInnerTexts(), ["2", "BOTTOM SHELF", "none"])
    assert.match(await note.locator(".context").innerText(), /You used \/note add/)
    assert.equal(
      await note.locator(".embed").evaluate((embed) => getComputedStyle(embed).borderLeftColor),
      "rgb(18, 152, 141)"
    )
    const elsewhere = note.getByRole("link", { name: "Elsewhere" })
    assert.equal(await elsewhere.getAttribute("rel"), "noopener noreferrer nofollow")
    await note.getByRole("button", { name: "Mark as read" }).click()
    await page.getByText("Read by a person").waitFor()
    assert.equal(await note.getByRole("button", { name: "Mark as read" }).isDisabled(), true)
    assert.equal(await note.getByText("(edited)").count(), 1)
  })

  it("sends files with a command and with a message, and shows them", async () => {
    await open()
    await type("/note add with a file")
    await page.getByRole("button", { name: "file" }).click()
    const csv = { name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n3,4\n") }
    await page.locator(".file-field input").setInputFiles(csv)
    await page.getByRole("button", { name: "Run the command" }).click()
    await page.getByText("rows.csv, 12 bytes").waitFor()

    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
      "base64"
    )
    await page.locator(".attach input").setInputFiles([csv, { name: "dot.png", mimeType: "image/png", buffer: png }])
    assert.equal(await page.locator(".chips li").count(), 2)
    await type("two files")
    await page.keyboard.press("Enter")
    const message = page.locator(".message", { hasText: "two files" })
    await message.locator("text-preview pre").waitFor()
    assert.equal(await message.locator("text-preview pre").innerText(), "a,b\n1,2\n3,4")
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>(".image-attachment img")?.naturalWidth === 1
    )
    assert.equal(await page.locator(".chips li").count(), 0)
  })

  it("turns a text that is too long into a file, and says so before", async () => {
    await open()
    await page.locator("#text").fill("x".repeat(2001))
    await page.getByText("this goes as a file, message.txt").waitFor()
    await page.locator("#text").press("Enter")
    await page.getByRole("link", { name: "message.txt", exact: true }).waitFor()
    assert.equal(emulator.messages(emulator.channelId).at(-1)?.attachments[0]?.size, 2001)
  })

  it("fills in a form; its answer is for this person only", async () => {
    await open()
    await type("/form")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Ada")
    await dialog.getByLabel("Card").check()
    await dialog.getByRole("combobox", { name: "Size" }).click()
    await dialog.getByRole("option", { name: "Large" }).click()
    await dialog.getByRole("button", { name: "Submit" }).click()
    await page.getByText("Ada / card / l").waitFor()
    assert.match(await last().innerText(), /Only you can see this/)
    const sam = emulator.users[1]?.id ?? ""
    const mine = page
    const other = await open(`#/${emulator.channelId}/${sam}`)
    await other.getByText("Sam", { exact: true }).first().waitFor()
    assert.equal(await other.getByText("Ada / card / l").count(), 0)
    await mine.getByRole("button", { name: "Dismiss message" }).click()
    await mine.getByText("Ada / card / l").waitFor({ state: "detached" })
  })

  it("shows that a bot thinks, and what became of it", async () => {
    await open()
    await type("/slow")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("Bot is thinking…").waitFor()
    release()
    await page.getByText("That took a while").waitFor()
    assert.equal(await page.getByText("Bot is thinking…").count(), 0)
  })

  it("says when the application does not respond, and lets the person try again", async () => {
    await open()
    await type("/silent")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByText("The application did not respond").waitFor()
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("Sending the command…").waitFor()
    await page.getByText("The application did not respond").waitFor()
    await page.getByRole("button", { name: "Dismiss", exact: true }).click()
    assert.equal(await page.getByText("/silent").count(), 1, "only the command's own starter button is left")
  })

  it("picks several things from a menu with the keyboard", async () => {
    await open()
    await type("/pick")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByRole("combobox", { name: "Which ones?" }).focus()
    for (const key of ["ArrowDown", "Enter", "End", "Enter", "Escape"]) await page.keyboard.press(key)
    await page.getByText("Chosen: red and blue").waitFor()
  })

  it("opens a thread, keeps it in the address, and is there again after a reload", async () => {
    await open()
    await type("/thread")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
    await page.getByRole("navigation").getByRole("link", { name: "A place to talk" }).click()
    await page.getByText("First words in the thread").waitFor()
    await type("half a thought")
    await page.reload()
    await page.getByText("First words in the thread").waitFor()
    assert.equal(await page.locator("#text").inputValue(), "half a thought")
    await page.keyboard.press("Enter")
    await page.locator(".message", { hasText: "half a thought" }).waitFor()
    assert.match(page.url(), new RegExp(`#/${emulator.threads()[0]?.id}`))
  })

  it("edits the last message with the up arrow, replies, reacts and deletes", async () => {
    await open()
    await type("a tpyo")
    await page.keyboard.press("Enter")
    await page.locator(".message", { hasText: "a tpyo" }).waitFor()
    await page.keyboard.press("ArrowUp")
    await page.getByLabel("Edit message").fill("a typo")
    await page.keyboard.press("Enter")
    const message = page.locator(".message", { hasText: "a typo" }).first()
    await message.getByText("(edited)").waitFor()
    await message.hover()
    await message.getByLabel("Add reaction").click()
    await message.getByRole("button", { name: "party" }).click()
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
    assert.equal(
      emulator.messages(emulator.channelId).some(({ content }) => content === "a typo"),
      false
    )
  })

  it("shows text as text, whatever it looks like", async () => {
    await open()
    await say(
      [
        `<script>alert(1)</script><img src=x onerror=alert(2)> <b>bold</b>`,
        `[bad](javascript:alert(3)) [worse](data:text/html,x) [mail](//evil.example) [good](https://example.com/x "t")`,
        `<@${emulator.users[0]?.id}> <#${emulator.channelId}> @everyone <:name:12345678901234567>`,
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
        ["#general", `#/${emulator.channelId}`]
      ]
    )
    const good = message.getByRole("link", { name: "good" })
    assert.equal(await good.getAttribute("rel"), "noopener noreferrer nofollow")
    assert.equal(await good.getAttribute("target"), "_blank")
    assert.match(await message.innerText(), /@You #general @everyone :name:/)
    const policy = await page.request.get(emulator.page)
    assert.match(policy.headers()["content-security-policy"] ?? "", /script-src 'self'/)
  })

  it("stays where a person reads, and offers the way to what is new", async () => {
    for (let count = 0; count < 60; count++) await say(`line ${count}`)
    await open()
    await page.getByText("line 59", { exact: true }).waitFor()
    const scroll = page.locator(".scroll")
    await scroll.hover()
    await page.mouse.wheel(0, -300)
    await page.getByRole("button", { name: "Jump to the latest message" }).waitFor()
    await say("something new")
    await page.getByRole("button", { name: "1 new message" }).click()
    await page.getByRole("button", { name: /new message|latest/ }).waitFor({ state: "detached" })
    assert.equal(await page.getByText("something new").isVisible(), true)
    // Older messages come as the reader goes up, and what they read stays in place.
    const before = await page.locator(".message").count()
    await scroll.evaluate((element) => element.scrollTo(0, 0))
    await page.waitForFunction((count) => document.querySelectorAll(".message").length > count, before)
    assert.ok((await scroll.evaluate((element) => element.scrollTop)) > 500)
  })

  it("tells when the server is gone, keeps what was written, and catches up when it is back", async () => {
    await open()
    const port = Number(new URL(emulator.page).port)
    await type("not sent ye")
    await client.destroy()
    await emulator.close()
    await page.getByText("Connection lost").waitFor()
    await page.keyboard.type("t")
    await page.keyboard.press("Enter")
    await page.getByText("The server did not answer").waitFor()
    assert.equal(await page.locator("#text").inputValue(), "not sent yet")
    await start(port)
    await say("said while you were away")
    await page.getByText("Connection lost").waitFor({ state: "detached" })
    await page.getByText("said while you were away").waitFor()
    await page.locator("#text").press("Enter")
    await page.locator(".message", { hasText: "not sent yet" }).waitFor()
    assert.equal(emulator.messages(emulator.channelId).at(-1)?.content, "not sent yet")
  })

  it("fits a phone: the channel list is a drawer", async () => {
    await open("", { width: 390, height: 844 })
    assert.equal(await page.getByRole("link", { name: "general" }).isVisible(), false)
    await page.getByRole("button", { name: "Show the channel list" }).click()
    await page.getByRole("navigation").getByRole("link", { name: "A place to talk" }).click()
    await page.getByText("First words in the thread").waitFor()
    await page.getByRole("navigation").waitFor({ state: "hidden" })
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
  })
})
