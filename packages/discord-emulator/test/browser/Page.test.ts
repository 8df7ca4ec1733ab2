import assert from "node:assert/strict"
import type { Page } from "playwright-core"
import { describe, it } from "vitest"
import { missing } from "@heddle/test-support/Chromium"
import { pageFixture } from "./PageFixture.ts"

describe.skipIf(missing)("a person at the page", { timeout: 60_000 }, () => {
  const stage = pageFixture()
  /** Chooses a command without options, and runs it. */
  const runCommand = async (page: Page, command: string) => {
    await stage.type(command)
    await page.keyboard.press("Enter")
    await page.keyboard.press("Enter")
  }

  it("suggests commands and runs one with options by keyboard", async () => {
    const page = await stage.open()
    await page.getByRole("button", { name: "/note add" }).waitFor()
    await page.keyboard.type("/no")
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

  it("shows commands in the person's language, which the person menu changes", async () => {
    const page = await stage.open()
    const { emulator } = stage
    const form = page.getByRole("button", { name: "/form" })
    await form.getByText("Opens a form").waitFor()
    await page.getByLabel(/^You are/).click()
    await page.getByLabel("Your language").selectOption("zh-CN")
    await form.getByText("打开一个表单").waitFor()
    await page.getByLabel("The server's language").selectOption("de")
    await emulator().waitFor(() => stage.client().guilds.cache.first()?.preferredLocale === "de", { what: "German" })
    const sam = emulator().users[1]?.id ?? ""
    const other = await stage.open(`#/${emulator().channelId}/${sam}`)
    await other.getByRole("button", { name: "/form" }).getByText("Opens a form").waitFor()
    await other.getByLabel(/^You are/).click()
    assert.equal(await other.getByLabel("The server's language").count(), 0, "who may not manage the server")
    emulator().user().speak("en-US")
    await form.getByText("Opens a form").waitFor()
  })

  it("sends files with a command and with a message, and shows them", async () => {
    const page = await stage.open()
    await stage.type("/note add with a file")
    await page.getByRole("button", { name: "file" }).click()
    const csv = { name: "rows.csv", mimeType: "text/csv", buffer: Buffer.from("a,b\n1,2\n3,4\n") }
    const huge = { name: "huge.csv", mimeType: "text/csv", buffer: Buffer.alloc(10 * 1024 * 1024 + 1, "x") }
    await page.locator(".file-field input").setInputFiles(huge)
    await page.getByText("huge.csv was left out: a file can have 10 MB at most.").waitFor()
    assert.equal(await page.getByRole("combobox", { name: "text" }).inputValue(), "with a file")
    await page.locator(".file-field input").setInputFiles(csv)
    assert.equal(await page.getByText("was left out").count(), 0)
    await page.getByRole("button", { name: "Run the command" }).click()
    await page.getByText("rows.csv, 12 bytes").waitFor()

    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
      "base64"
    )
    await page.locator(".attach input").setInputFiles([csv, { name: "dot.png", mimeType: "image/png", buffer: png }])
    assert.equal(await page.locator(".chips li").count(), 2)
    await stage.type("two files")
    await page.keyboard.press("Enter")
    const message = page.locator(".message", { hasText: "two files" })
    await message.locator("text-preview pre").waitFor()
    assert.equal(await message.locator("text-preview pre").innerText(), "a,b\n1,2\n3,4")
    await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>(".image-attachment img")?.naturalWidth === 1
    )
    assert.equal(await page.locator(".chips li").count(), 0)
  })

  it("shows the text of a file that an edit of the message replaces", async () => {
    const page = await stage.open()
    const channel = await stage.client().channels.fetch(stage.emulator().channelId)
    assert.ok(channel?.isSendable() === true)
    const file = (text: string) => ({ attachment: Buffer.from(text), name: "report.md" })
    const sent = await channel.send({ content: "the report", files: [file("first draft")] })
    const preview = page.locator(".message", { hasText: "the report" }).locator("text-preview pre")
    await preview.getByText("first draft").waitFor()
    await sent.edit({ attachments: [], files: [file("second draft")] })
    await preview.getByText("second draft").waitFor()
  })

  it("attaches dropped and pasted files and removes them", async () => {
    const page = await stage.open()
    const handOver = (name: string, event: "drop" | "paste", size = 4) =>
      page.evaluate(
        ([fileName, eventName, bytes]) => {
          const transfer = new DataTransfer()
          transfer.items.add(new File(["x".repeat(bytes)], fileName, { type: "text/plain" }))
          const target = document.querySelector(eventName === "drop" ? "main" : "#text")
          target?.dispatchEvent(
            eventName === "drop"
              ? new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true })
              : new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true })
          )
        },
        [name, event, size] as const
      )
    await handOver("dropped.txt", "drop")
    await handOver("pasted.txt", "paste")
    await page.getByRole("button", { name: "Remove pasted.txt" }).waitFor()
    await handOver("huge.txt", "drop", 10 * 1024 * 1024 + 1)
    await page.getByText("huge.txt was left out: a file can have 10 MB at most.").waitFor()
    await page.getByRole("button", { name: "Remove dropped.txt" }).click()
    await page.getByRole("button", { name: "Send" }).click()
    await page.getByRole("link", { name: "pasted.txt", exact: true }).waitFor()
    assert.deepEqual(
      stage
        .emulator()
        .messages(stage.emulator().channelId)
        .at(-1)
        ?.attachments.map((file) => file.filename),
      ["pasted.txt"]
    )
  })

  it("sends a long text as a file after a hint", async () => {
    const page = await stage.open()
    await page.locator("#text").fill("x".repeat(2001))
    await page.getByText("this goes as a file, message.txt").waitFor()
    await page.locator("#text").press("Enter")
    await page.getByRole("link", { name: "message.txt", exact: true }).waitFor()
    assert.equal(stage.emulator().messages(stage.emulator().channelId).at(-1)?.attachments[0]?.size, 2001)
  })

  it("submits a modal with an ephemeral response", async () => {
    const page = await stage.open()
    await runCommand(page, "/form")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Name").fill("Ada")
    await dialog.getByLabel("Card").check()
    await dialog.getByRole("combobox", { name: "Size" }).click()
    await page.keyboard.press("Escape")
    assert.equal(await dialog.getByRole("option").count(), 0, "Escape closes the menu, not the form")
    await dialog.getByRole("combobox", { name: "Size" }).click()
    await dialog.getByRole("option", { name: "Large" }).click()
    await dialog.getByRole("button", { name: "Submit" }).click()
    await page.getByText("Ada / card / l").waitFor()
    assert.match(await page.locator(".message").last().innerText(), /Only you can see this/)
    const sam = stage.emulator().users[1]?.id ?? ""
    const mine = page
    const other = await stage.open(`#/${stage.emulator().channelId}/${sam}`)
    await other.getByText("Sam", { exact: true }).first().waitFor()
    assert.equal(await other.getByText("Ada / card / l").count(), 0)
    await mine.getByRole("button", { name: "Dismiss message" }).click()
    await mine.getByText("Ada / card / l").waitFor({ state: "detached" })
    await mine.reload()
    await mine.getByText("Welcome to #general").waitFor()
    assert.equal(await mine.getByText("Ada / card / l").count(), 0)
  })

  it("shows a deferred response and its result", async () => {
    const page = await stage.open()
    await runCommand(page, "/slow")
    await page.getByText("Bot is thinking…").waitFor()
    stage.release()
    await page.getByText("That took a while").waitFor()
    assert.equal(await page.getByText("Bot is thinking…").count(), 0)
  })

  it("reports an application that does not respond, and offers a retry", async () => {
    const page = await stage.open()
    await runCommand(page, "/silent")
    await page.getByText("The application did not respond").waitFor()
    await page.getByRole("button", { name: "Try again" }).click()
    await page.getByText("Sending the command…").waitFor()
    await page.getByText("The application did not respond").waitFor()
    await page.locator("#text").fill("said later")
    await page.keyboard.press("Enter")
    await page.locator(".message:not(.pending)", { hasText: "said later" }).waitFor()
    assert.match(await page.locator(".list > .message").last().innerText(), /said later/)
    await page.getByRole("button", { name: "Change it" }).click()
    assert.equal(await page.locator(".pending").count(), 0)
    await page.getByRole("group", { name: "Command silent" }).waitFor()
    await page.getByRole("button", { name: "Run the command" }).click()
    await page.getByText("The application did not respond").waitFor()
    await page.getByRole("button", { name: "Dismiss", exact: true }).click()
    assert.equal(await page.getByText("/silent").count(), 1, "only the command's own starter button is left")
  })

  it("picks several things from a menu with the keyboard", async () => {
    const page = await stage.open()
    await runCommand(page, "/pick")
    await page.getByRole("combobox", { name: "Which ones?" }).focus()
    for (const key of ["ArrowDown", "Enter", "End", "Enter", "Escape"]) await page.keyboard.press(key)
    await page.getByText("Chosen: red and blue").waitFor()
  })
})
