import assert from "node:assert/strict"
import {
  type ApplicationCommandDataResolvable,
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ButtonBuilder,
  ButtonStyle,
  ChannelType,
  type ChatInputCommandInteraction,
  DiscordAPIError,
  Events,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  RadioGroupBuilder,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle
} from "discord.js"
import { afterAll, beforeAll, describe, it } from "vitest"
import { InteractionFailed, manualClock } from "@heddle/discord-emulator"
import { type Stage, stage } from "./support/Bot.ts"

const commands: ReadonlyArray<ApplicationCommandDataResolvable> = [
  {
    name: "task",
    description: "Tasks",
    options: [
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: "new",
        description: "Starts one",
        options: [
          { type: ApplicationCommandOptionType.String, name: "prompt", description: "What to do", required: true },
          {
            type: ApplicationCommandOptionType.Integer,
            name: "count",
            description: "How many",
            min_value: 1,
            max_value: 9
          },
          { type: ApplicationCommandOptionType.Boolean, name: "quiet", description: "Say less" },
          { type: ApplicationCommandOptionType.User, name: "owner", description: "Whose" },
          { type: ApplicationCommandOptionType.Channel, name: "where", description: "Which channel" },
          {
            type: ApplicationCommandOptionType.Channel,
            name: "forum",
            description: "Which forum",
            channel_types: [ChannelType.GuildForum]
          },
          { type: ApplicationCommandOptionType.Attachment, name: "file", description: "Data" }
        ]
      },
      {
        type: ApplicationCommandOptionType.Subcommand,
        name: "open",
        description: "Opens one",
        options: [
          {
            type: ApplicationCommandOptionType.String,
            name: "id",
            description: "Which",
            required: true,
            autocomplete: true
          }
        ]
      }
    ]
  },
  { name: "say", description: "Talks" },
  { name: "form", description: "Asks" },
  { name: "admin", description: "Not for everybody", defaultMemberPermissions: 0n }
]

describe("interactions", () => {
  // It stands still, so that a slow machine answers in time.
  const clock = manualClock()
  let on: Stage
  let handle: (interaction: Interaction) => unknown = () => undefined
  beforeAll(async () => {
    on = await stage({ clock })
    on.client.on(Events.InteractionCreate, (interaction) => handle(interaction))
    await on.client.application.commands.set(commands, on.emulator.guildId)
  })
  afterAll(() => on.close())

  const onCommand = (run: (interaction: ChatInputCommandInteraction) => unknown): void => {
    handle = (interaction) => (interaction.isChatInputCommand() ? run(interaction) : undefined)
  }
  const refusal = (run: Promise<unknown>): Promise<unknown> =>
    run.then(
      () => "accepted",
      (error: unknown) => (error instanceof DiscordAPIError ? error.code : error)
    )

  it("sends options of every type with a command", async () => {
    const { emulator } = on
    const you = emulator.user()
    let got: ReadonlyArray<unknown> = []
    let file = ""
    onCommand(async ({ options, ...interaction }) => {
      const attachment = options.getAttachment("file", true)
      file = await (await fetch(attachment.url)).text()
      got = [
        options.getSubcommand(),
        options.getString("prompt"),
        options.getInteger("count"),
        options.getBoolean("quiet"),
        options.getUser("owner")?.username,
        options.getChannel("where")?.id,
        attachment.name,
        interaction.attachmentSizeLimit
      ]
    })
    handle = ((inner) => async (interaction: Interaction) => {
      await inner(interaction)
      if (interaction.isChatInputCommand()) await interaction.reply("done")
    })(handle)
    const result = await you.command(emulator.channelId, "task new", {
      prompt: "look",
      count: 3,
      quiet: true,
      owner: "Sam",
      where: "general",
      file: { name: "data.csv", data: Buffer.from("a,b\n") }
    })
    assert.equal(result.type, "message")
    assert.equal(result.message?.content, "done")
    assert.deepEqual(got, ["new", "look", 3, true, "Sam", emulator.channelId, "data.csv", 10 * 1024 * 1024])
    assert.equal(file, "a,b\n")
    assert.equal(result.message?.interaction_metadata?.user.id, you.id)
  })

  it("rejects an invalid command before the bot receives it", async () => {
    const { emulator } = on
    const you = emulator.user()
    const run = (path: string, options = {}) => you.command(emulator.channelId, path, options)
    await assert.rejects(run("nope"), /There is no command \/nope. Known: \/task, \/say, \/form/)
    await assert.rejects(run("task"), /\/task needs one of: \/task new, \/task open/)
    await assert.rejects(run("task new"), /the option prompt is required/)
    await assert.rejects(run("task new", { prompt: "x", count: 10 }), /takes 1 to 9/)
    await assert.rejects(run("task new", { prompt: "x", other: 1 }), /has no option other/)
    await assert.rejects(run("task new", { prompt: "x", forum: "general" }), /forum: there is no channel general/)
    await assert.rejects(emulator.user("Sam").command(emulator.channelId, "admin"), /There is no command \/admin/)
  })

  it("fills a deferred ephemeral response", async () => {
    const { emulator } = on
    const you = emulator.user()
    onCommand(async (interaction) => {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral })
      await interaction.editReply({ content: "Your credit: 5", embeds: [{ title: "Credit" }] })
      await interaction.followUp({ content: "and more", flags: MessageFlags.Ephemeral })
      await interaction.followUp("for everyone")
    })
    const before = emulator.messages(emulator.channelId).length
    const result = await you.command(emulator.channelId, "say")
    assert.equal(result.type, "deferred")
    assert.equal((await result.settled()).content, "Your credit: 5")
    await emulator.waitFor(() => emulator.messages(emulator.channelId).length > before)
    assert.deepEqual(
      emulator
        .messages(emulator.channelId)
        .slice(before)
        .map((message) => message.content),
      ["for everyone"]
    )
    assert.deepEqual(
      you.ephemerals(emulator.channelId).map((message) => message.content),
      ["Your credit: 5", "and more"]
    )
    assert.deepEqual(emulator.user("Sam").ephemerals(), [])
  })

  it("presses a button: update, then a press on it is refused because it is disabled", async () => {
    const { emulator } = on
    const you = emulator.user()
    const row = (disabled: boolean) =>
      new ActionRowBuilder<ButtonBuilder>().addComponents(
        new ButtonBuilder().setCustomId("allow").setLabel("Allow").setStyle(ButtonStyle.Success).setDisabled(disabled),
        new ButtonBuilder().setLabel("Docs").setURL("https://example.com/").setStyle(ButtonStyle.Link)
      )
    handle = async (interaction) => {
      if (interaction.isChatInputCommand())
        await interaction.reply({ content: "May I?", components: [row(false)], flags: MessageFlags.Ephemeral })
      if (interaction.isButton())
        await interaction.update({ content: `${interaction.user.username} allowed it`, components: [row(true)] })
    }
    const asked = (await you.command(emulator.channelId, "say")).message
    assert.ok(asked)
    await assert.rejects(emulator.user("Sam").press(emulator.channelId, asked.id, "allow"), /Unknown Message/)
    const pressed = await you.press(emulator.channelId, asked.id, "allow")
    assert.equal(pressed.type, "update")
    assert.equal(pressed.message?.content, "You allowed it")
    await assert.rejects(you.press(emulator.channelId, asked.id, "allow"), /allow is disabled/)
    await assert.rejects(you.press(emulator.channelId, asked.id, "deny"), /has no button or select deny. It has: allow/)
  })

  it("chooses in a select, with the answer deferred", async () => {
    const { emulator } = on
    const you = emulator.user()
    const menu = new StringSelectMenuBuilder()
      .setCustomId("pick")
      .setPlaceholder("Which?")
      .addOptions({ label: "One", value: "1" }, { label: "Two", value: "2" })
    handle = async (interaction) => {
      if (interaction.isChatInputCommand())
        await interaction.reply({ components: [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(menu)] })
      if (interaction.isStringSelectMenu()) {
        await interaction.deferUpdate()
        await interaction.editReply({ content: `Chosen: ${interaction.values.join()}`, components: [] })
      }
    }
    const asked = (await you.command(emulator.channelId, "say")).message
    assert.ok(asked)
    await assert.rejects(you.select(emulator.channelId, asked.id, "pick", ["3"]), /has no choice 3. It has: 1, 2/)
    const result = await you.select(emulator.channelId, asked.id, "pick", ["2"])
    assert.equal(result.type, "deferred")
    assert.equal((await result.settled()).content, "Chosen: 2")
  })

  it("opens a modal, checks the values and submits them", async () => {
    const { emulator } = on
    const you = emulator.user()
    const modal = new ModalBuilder()
      .setCustomId("redeem")
      .setTitle("Redeem")
      .addLabelComponents(
        new LabelBuilder()
          .setLabel("Code")
          .setTextInputComponent(
            new TextInputBuilder().setCustomId("code").setStyle(TextInputStyle.Short).setMinLength(4)
          ),
        new LabelBuilder()
          .setLabel("Kind")
          .setRadioGroupComponent(
            new RadioGroupBuilder()
              .setCustomId("kind")
              .addOptions({ label: "Code", value: "code" }, { label: "Card", value: "card" })
          )
      )
    handle = async (interaction) => {
      if (interaction.isChatInputCommand()) await interaction.showModal(modal)
      if (interaction.isModalSubmit())
        await interaction.reply({
          content: `${interaction.fields.getTextInputValue("code")} ${interaction.fields.getRadioGroup("kind")}`,
          flags: MessageFlags.Ephemeral
        })
    }
    const opened = await you.command(emulator.channelId, "form")
    assert.equal(opened.type, "modal")
    assert.equal(opened.modal?.title, "Redeem")
    await assert.rejects(you.submit(opened, { code: "abc", kind: "code" }), /code takes 4 to 4000 characters/)
    await assert.rejects(you.submit(opened, { code: "abcd", kind: "gift" }), /kind has no choice gift/)
    await assert.rejects(emulator.user("Sam").submit(opened, { code: "abcd" }), /There is no open modal/)
    const answer = await you.submit(opened, { code: "abcd", kind: "card" })
    assert.equal(answer.message?.content, "abcd card")
  })

  it("suggests values while an option is typed", async () => {
    const { emulator } = on
    handle = async (interaction) => {
      if (interaction.isAutocomplete())
        await interaction.respond([{ name: `Task ${interaction.options.getFocused()}`, value: "t-1" }])
    }
    const choices = await emulator.user().autocomplete(emulator.channelId, "task open", { id: "ab" }, "id")
    assert.deepEqual(choices, [{ name: "Task ab", value: "t-1" }])
  })

  it("fails an interaction without response and refuses a late one", async () => {
    const { emulator } = on
    const late = new Promise<unknown>((resolve) => {
      onCommand((interaction) => {
        clock.advance(3001)
        void refusal(interaction.reply("late")).then(resolve)
      })
    })
    const failed = emulator.waitFor(
      ((seen) => {
        emulator.on((event) => (seen ||= event.type === "interaction" && event.state === "failed"))
        return () => seen
      })(false)
    )
    const running = emulator.user().command(emulator.channelId, "say")
    await assert.rejects(running, (error: unknown) => {
      assert.ok(error instanceof InteractionFailed)
      assert.equal(error.message, "The application did not respond")
      assert.equal(error.result.type, "failed")
      return true
    })
    await failed
    assert.equal(await late, 10062)
  })

  it("refuses a second first response and early follow-ups", async () => {
    const { emulator } = on
    const codes: Array<unknown> = []
    onCommand(async (interaction) => {
      const hook = `/webhooks/${interaction.applicationId}/${interaction.token}` as const
      codes.push(await refusal(on.client.rest.post(hook, { body: { content: "early" }, auth: false })))
      await interaction.reply("first")
      codes.push(
        await refusal(
          on.client.rest.post(`/interactions/${interaction.id}/${interaction.token}/callback`, {
            body: { type: 4, data: { content: "second" } },
            auth: false
          })
        )
      )
      codes.push(await refusal(interaction.fetchReply()))
      await interaction.deleteReply()
      codes.push(await refusal(interaction.fetchReply()))
    })
    await emulator.user().command(emulator.channelId, "say")
    await emulator.waitFor(() => codes.length === 4, { what: "four refusals" })
    assert.deepEqual(codes, [10015, 40060, "accepted", 10008])
  })

  it("fills the deferred response with a follow-up", async () => {
    const { emulator } = on
    onCommand(async (interaction) => {
      await interaction.deferReply()
      await interaction.followUp("filled")
    })
    const before = emulator.messages(emulator.channelId).length
    const result = await emulator.user().command(emulator.channelId, "say")
    assert.equal((await result.settled()).content, "filled")
    assert.equal(emulator.messages(emulator.channelId).length, before + 1)
  })

  it("returns the response message, from which a thread can start", async () => {
    const { emulator } = on
    onCommand(async (interaction) => {
      const sent = await interaction.reply({ content: "Task 1", withResponse: true })
      const thread = await sent.resource?.message?.startThread({ name: "Task 1" })
      await thread?.send("on it")
    })
    const { message } = await emulator.user().command(emulator.channelId, "say")
    await emulator.waitFor(() => emulator.transcript(message?.id ?? "").includes("on it"))
    assert.deepEqual(
      emulator.threads().map(({ id, name }) => [id, name]),
      [[message?.id, "Task 1"]]
    )
  })

  it("keeps command ids over an unchanged bulk overwrite", async () => {
    const { client, emulator } = on
    const ids = async (): Promise<ReadonlyArray<string>> =>
      (await client.application.commands.set(commands, emulator.guildId)).map((command) => command.id)
    assert.deepEqual(await ids(), await ids())
  })
})
