import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  type Client,
  ComponentType,
  EmbedBuilder,
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

const { Attachment, Integer, String: Text, Subcommand } = ApplicationCommandOptionType

/** Gives a client some commands that use what the page can show. `release` lets `/slow` finish. */
export const givePageCommands = async (client: Client<true>): Promise<{ readonly release: () => void }> => {
  let release = (): void => undefined
  client.on(Events.InteractionCreate, (interaction) => {
    const held = new Promise<void>((resolve) => (release = resolve))
    answer(interaction, held).catch((cause: unknown) => console.error(cause))
  })
  await client.application.commands.set([
    {
      name: "note",
      description: "Notes",
      options: [
        {
          type: Subcommand,
          name: "add",
          description: "Write something down",
          options: [
            { type: Text, name: "text", description: "What to write down", required: true },
            { type: Integer, name: "times", description: "How often", min_value: 1, max_value: 3 },
            { type: Text, name: "shelf", description: "Where to", autocomplete: true },
            { type: Attachment, name: "file", description: "Something to go with it" }
          ]
        }
      ]
    },
    { name: "form", description: "Opens a form", descriptionLocalizations: { "zh-CN": "打开一个表单" } },
    { name: "slow", description: "Thinks first" },
    { name: "silent", description: "Never answers" },
    { name: "thread", description: "Opens a thread" },
    { name: "pick", description: "Offers a choice" }
  ])
  return { release: () => release() }
}

const answer = async (interaction: Interaction, held: Promise<void>): Promise<void> => {
  if (interaction.isAutocomplete()) {
    const typed = interaction.options.getFocused()
    const shelves = ["top shelf", "bottom shelf", "box"].filter((shelf) => shelf.includes(typed))
    return interaction.respond(shelves.map((shelf) => ({ name: shelf, value: shelf.toUpperCase() })))
  }
  if (interaction.isButton()) {
    return void (await interaction.update({ content: "Read by a person", components: [buttons(true)] }))
  }
  if (interaction.isStringSelectMenu()) {
    return void (await interaction.reply(`Chosen: ${interaction.values.join(" and ")}`))
  }
  if (interaction.isModalSubmit()) {
    const { fields } = interaction
    const content = `${fields.getTextInputValue("name")} / ${fields.getRadioGroup("kind")} / ${fields.getStringSelectValues("size").join()}`
    return void (await interaction.reply({ content, flags: MessageFlags.Ephemeral }))
  }
  if (interaction.isChatInputCommand()) await run[interaction.commandName]?.(interaction, held)
}

const run: Readonly<
  Record<string, (interaction: ChatInputCommandInteraction, held: Promise<void>) => Promise<unknown>>
> = {
  note: (interaction) => {
    const file = interaction.options.getAttachment("file")
    const embed = new EmbedBuilder()
      .setTitle("A note")
      .setColor(0x12988d)
      .setDescription(interaction.options.getString("text", true))
      .addFields(
        { name: "Times", value: String(interaction.options.getInteger("times") ?? 1), inline: true },
        { name: "Shelf", value: interaction.options.getString("shelf") ?? "none", inline: true },
        { name: "File", value: file === null ? "none" : `${file.name}, ${file.size} bytes`, inline: true }
      )
      .setFooter({ text: "kept" })
    return interaction.reply({ embeds: [embed], components: [buttons(false)] })
  },
  form: (interaction) => interaction.showModal(form),
  slow: async (interaction, held) => {
    await interaction.deferReply()
    await held
    await interaction.editReply("That took a while")
  },
  silent: async () => undefined,
  thread: async (interaction) => {
    const { resource } = await interaction.reply({ content: "A thread for you", withResponse: true })
    const thread = await resource?.message?.startThread({ name: "A place to talk" })
    await thread?.send("First words in the thread")
  },
  pick: (interaction) => {
    const menu = new StringSelectMenuBuilder()
      .setCustomId("pick")
      .setPlaceholder("Which ones?")
      .setMaxValues(2)
      .addOptions(["red", "green", "blue"].map((value) => ({ label: value, value })))
    return interaction.reply({ components: [new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(menu)] })
  }
}

const buttons = (done: boolean): ActionRowBuilder<ButtonBuilder> =>
  new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId("read").setLabel("Mark as read").setStyle(ButtonStyle.Success).setDisabled(done),
    new ButtonBuilder().setLabel("Elsewhere").setStyle(ButtonStyle.Link).setURL("https://example.com/a?b=1")
  )

const form = new ModalBuilder()
  .setCustomId("form")
  .setTitle("A form")
  .addLabelComponents(
    new LabelBuilder()
      .setLabel("Name")
      .setTextInputComponent(new TextInputBuilder().setCustomId("name").setStyle(TextInputStyle.Short)),
    new LabelBuilder()
      .setLabel("Kind")
      .setRadioGroupComponent(
        new RadioGroupBuilder({ type: ComponentType.RadioGroup })
          .setCustomId("kind")
          .addOptions({ label: "Code", value: "code" }, { label: "Card", value: "card" })
      ),
    new LabelBuilder()
      .setLabel("Size")
      .setStringSelectMenuComponent(
        new StringSelectMenuBuilder()
          .setCustomId("size")
          .addOptions({ label: "Small", value: "s" }, { label: "Large", value: "l" })
      )
  )
