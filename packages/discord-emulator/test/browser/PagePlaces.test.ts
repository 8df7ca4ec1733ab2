import assert from "node:assert/strict"
import { ChannelType, Events, type Interaction, SelectMenuDefaultValueType } from "discord.js"
import { beforeAll, describe, it } from "vitest"
import { missing } from "@heddle/test-support/Chromium"
import { checkAccessibility } from "./Accessibility.ts"
import { pageFixture } from "./PageFixture.ts"

const menuName = "Count the words"

describe.skipIf(missing)("the places of a server", { timeout: 60_000 }, () => {
  const stage = pageFixture()
  const as = (name = "You") => stage.emulator().user(name)
  const idOf = (name: string): string => stage.emulator().users.find(({ username }) => username === name)?.id ?? ""
  let forum = ""
  const make = (body: object): Promise<{ readonly id: string }> =>
    as().request("POST", `/guilds/${stage.emulator().guildId}/channels`, body) as Promise<{ readonly id: string }>

  beforeAll(async () => {
    const client = stage.client()
    await client.application.commands.create({ name: menuName, type: 3 })
    await client.application.commands.create({ name: "Wave", type: 2 })
    await client.application.commands.create({
      name: "give",
      description: "Gives",
      options: [
        { type: 6, name: "who", description: "To whom", required: true },
        { type: 8, name: "role", description: "Which role", required: true },
        {
          type: 7,
          name: "where",
          description: "In which channel",
          required: true,
          channel_types: [ChannelType.GuildText]
        },
        {
          type: 3,
          name: "how",
          description: "How",
          required: true,
          choices: [
            { name: "Gladly", value: "g" },
            { name: "Hardly", value: "h" }
          ]
        }
      ]
    })
    client.on(Events.InteractionCreate, (interaction) => {
      answer(interaction).catch((cause: unknown) => console.error(cause))
    })
    const { id: parent } = await make({ name: "Work", type: ChannelType.GuildCategory })
    await make({ name: "ideas", type: ChannelType.GuildText, parent_id: parent, topic: "What we might do" })
    ;({ id: forum } = await make({
      name: "help",
      type: ChannelType.GuildForum,
      parent_id: parent,
      topic: "Ask here",
      available_tags: [{ name: "question", emoji_name: "❓" }, { name: "bug" }]
    }))
    const role = (await as().request("POST", `/guilds/${stage.emulator().guildId}/roles`, {
      name: "Weavers",
      color: 0x2a9d8f,
      hoist: true,
      mentionable: true
    })) as { readonly id: string }
    await as().request("PUT", `/guilds/${stage.emulator().guildId}/members/${idOf("Sam")}/roles/${role.id}`)
  })

  it("opens a post in a forum, with a tag and a file, by keyboard", async () => {
    const page = await stage.open()
    const work = page.locator(".category")
    assert.deepEqual(await work.locator(".channel .name").allInnerTexts(), ["ideas", "help"])
    await work.getByRole("link", { name: "help" }).click()
    await page.getByText("There are no posts yet.").waitFor()
    await page.getByRole("button", { name: "New post" }).focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("How do I <b>warp</b> a loom?")
    await page.keyboard.press("Tab")
    await page.keyboard.type("It is my first one.")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("question").check()
    assert.deepEqual(await checkAccessibility(page, "post-dialog"), [])
    await dialog
      .getByLabel("Files")
      .setInputFiles({ name: "loom.txt", mimeType: "text/plain", buffer: Buffer.from("warp and weft") })
    await dialog.getByRole("button", { name: "Post" }).click()
    await page.getByText("It is my first one.").waitFor()
    await page.locator("text-preview pre").waitFor()
    await page.locator(".top .parent").click()
    const post = page.locator(".post", { hasText: "How do I <b>warp</b> a loom?" })
    await post.waitFor()
    assert.match(await post.innerText(), /question[^]*You/)
    assert.deepEqual(await checkAccessibility(page, "forum"), [])
    assert.equal(stage.emulator().threads()[0]?.parentId, forum)
  })

  it("shows members with their roles, live, and offers a direct message to the bot", async () => {
    const page = await stage.open()
    await page.getByRole("button", { name: "Show the members" }).click()
    const members = page.getByRole("complementary", { name: "Members" })
    await members.getByRole("heading", { name: /Weavers — 1/ }).waitFor()
    await as().request("PATCH", `/guilds/${stage.emulator().guildId}/members/${idOf("Sam")}`, { nick: "<i>Samuel</i>" })
    await members.getByText("<i>Samuel</i>").first().waitFor()
    await members.locator("summary", { hasText: "Samuel" }).click()
    assert.match(await members.locator("details[open]").innerText(), /Sam[^]*Weavers/)
    assert.deepEqual(await checkAccessibility(page, "members"), [])
    await page.keyboard.press("Escape")
    assert.equal(await members.locator("details[open]").count(), 0)
    await members.locator("summary", { hasText: "Samuel" }).click()
    await members.getByRole("menuitem", { name: "Wave" }).click()
    await page.getByText("Waved at Sam").waitFor()
    await members.locator("summary", { hasText: "Bot" }).click()
    await members.getByRole("menuitem", { name: "Send a direct message" }).click()
    await page.getByText("Only you and the bot see what is said here.").waitFor()
    await page.locator("#text").fill("just between us")
    await page.locator("#text").press("Enter")
    await page.locator(".message", { hasText: "just between us" }).waitFor()
    assert.deepEqual(await checkAccessibility(page, "direct"), [])
    await as().request("PATCH", `/guilds/${stage.emulator().guildId}/members/${idOf("Sam")}`, { nick: null })
    await page.getByRole("button", { name: "Hide the members" }).click()
  })

  it("has a menu at each message: by mouse, by keyboard, with the commands of the bot", async () => {
    const page = await stage.open()
    await stage.say("one two three")
    const message = page.locator(".message", { hasText: "one two three" })
    await message.click({ button: "right" })
    await message.getByRole("menuitem", { name: menuName }).waitFor()
    assert.deepEqual(await checkAccessibility(page, "message-menu"), [])
    await message.getByRole("menuitem", { name: menuName }).click()
    await page.getByText("3 words").waitFor()

    await page.getByRole("log").focus()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    for (let stop = 0; stop < 8; stop++) {
      await page.keyboard.press("Tab")
      if (await message.locator(".more summary").evaluate((element) => element === document.activeElement)) break
    }
    await page.keyboard.press("Enter")
    await message.locator('[role="menuitem"]:focus', { hasText: "Start a thread" }).waitFor()
    await page.keyboard.press("Enter")
    await page.getByLabel("Name of the thread").fill("A thread of one's own")
    await page.keyboard.press("Enter")
    await page.getByText("This is the beginning of the thread.").waitFor()
    assert.match(await page.locator(".top h2").innerText(), /A thread of one's own/)
    await page.goBack()
    await page.locator(".thread-card", { hasText: "A thread of one's own" }).waitFor()
  })

  it("offers people, roles and channels after @ and #, and sends them as mentions", async () => {
    const page = await stage.open()
    await stage.type("ask @Sa")
    await page.getByRole("option", { name: "@Sam" }).waitFor()
    assert.deepEqual(await checkAccessibility(page, "mention"), [])
    await page.locator("#text").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("or @weav")
    await page.keyboard.press("Tab")
    await page.keyboard.type("in #ide")
    await page.keyboard.press("Tab")
    assert.equal(await page.locator("#text").inputValue(), "ask @Sam or @Weavers in #ideas ")
    await page.keyboard.press("Enter")
    const message = page.locator(".message", { hasText: "ask @Sam or @Weavers in #ideas" })
    await message.waitFor()
    const sent = stage.emulator().messages(stage.emulator().channelId).at(-1)
    assert.match(sent?.content ?? "", /^ask <@\d+> or <@&\d+> in <#\d+>$/)
    assert.deepEqual(
      sent?.mentions.map(({ username }) => username),
      ["Sam"]
    )
    await page.locator("#text").press("ArrowUp")
    assert.equal(await page.getByLabel("Edit message").inputValue(), "ask @Sam or @Weavers in #ideas")
    await page.keyboard.press("Escape")
  })

  it("fills in users, roles, channels and choices by the keyboard alone", async () => {
    const page = await stage.open()
    await stage.type("/give")
    await page.keyboard.press("Enter")
    for (const [typed, shown] of [
      ["sa", "@Sam"],
      ["wea", "@Weavers"],
      ["id", "#ideas"],
      ["gl", "Gladly"]
    ] as const) {
      await page.keyboard.type(typed)
      await page.getByRole("option", { name: shown, exact: true }).waitFor()
      await page.keyboard.press("Tab")
    }
    assert.deepEqual(await checkAccessibility(page, "options"), [])
    await page.getByRole("button", { name: "Run the command" }).click()
    await page.getByText("Sam gets Weavers in ideas, g").waitFor()
  })

  it("shows components V2, and every kind of menu with its choices", async () => {
    const page = await stage.open()
    const channel = await stage.client().channels.fetch(stage.emulator().channelId)
    assert.ok(channel?.isSendable())
    const sam = idOf("Sam")
    await channel.send({
      flags: 1 << 15,
      components: [
        {
          type: 17,
          accent_color: 0x2a9d8f,
          components: [
            { type: 10, content: "## A <u>container</u>" },
            { type: 14, divider: true },
            {
              type: 9,
              components: [{ type: 10, content: "with a section" }],
              accessory: { type: 2, style: 2, label: "Accessory", custom_id: "x" }
            },
            {
              type: 1,
              components: [
                { type: 5, custom_id: "user", default_values: [{ id: sam, type: SelectMenuDefaultValueType.User }] }
              ]
            },
            { type: 1, components: [{ type: 6, custom_id: "role", placeholder: "A role" }] },
            { type: 1, components: [{ type: 8, custom_id: "channel", placeholder: "A channel", channel_types: [15] }] }
          ]
        }
      ]
    })
    const message = page.locator(".message", { has: page.locator(".container") })
    await message.getByText("A <u>container</u>").waitFor()
    assert.match(await message.innerText(), /Sam/)
    await message.getByRole("combobox", { name: "A role" }).click()
    await message.getByRole("option", { name: "@Weavers" }).waitFor()
    assert.deepEqual(await checkAccessibility(page, "components"), [])
    await message.getByRole("option", { name: "@Weavers" }).click()
    await page.getByText("Role: Weavers").waitFor()
    await message.getByRole("combobox", { name: "A channel" }).click()
    assert.deepEqual(await message.getByRole("option").allInnerTexts(), ["#help"])
    await message.getByRole("option", { name: "#help" }).click()
    await page.getByText("Channel: help").waitFor()
  })

  it("removes a channel without View Channel, and the composer without Send Messages", async () => {
    const sam = await stage.open(`#//${idOf("Sam")}`)
    const { id } = await make({ name: "quiet", type: ChannelType.GuildText })
    await sam.getByRole("link", { name: "quiet" }).click()
    await sam.locator("#text:enabled").waitFor()
    const overwrite = (deny: bigint) =>
      as().request("PUT", `/channels/${id}/permissions/${stage.emulator().guildId}`, { type: 0, deny: String(deny) })
    await overwrite(1n << 11n)
    await sam.getByText("You may read here, but not write.").waitFor()
    await overwrite(1n << 10n)
    await sam.getByText("This channel is no longer there.").waitFor()
    assert.equal(await sam.getByRole("link", { name: "quiet" }).count(), 0)
  })
})

const answer = async (interaction: Interaction): Promise<void> => {
  if (interaction.isMessageContextMenuCommand())
    await interaction.reply(`${interaction.targetMessage.content.split(" ").length} words`)
  else if (interaction.isUserContextMenuCommand())
    await interaction.reply(`Waved at ${interaction.targetUser.username}`)
  else if (interaction.isRoleSelectMenu()) await interaction.reply(`Role: ${interaction.roles.first()?.name}`)
  else if (interaction.isChannelSelectMenu()) {
    const channel = interaction.channels.first()
    await interaction.reply(`Channel: ${channel !== undefined && "name" in channel ? channel.name : ""}`)
  } else if (interaction.isChatInputCommand() && interaction.commandName === "give") {
    const { options } = interaction
    const [who, role, where] = [
      options.getUser("who", true).username,
      options.getRole("role", true).name,
      options.getChannel("where", true).name
    ]
    await interaction.reply(`${who} gets ${role} in ${where}, ${options.getString("how", true)}`)
  }
}
