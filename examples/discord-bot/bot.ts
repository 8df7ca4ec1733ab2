import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  Client,
  type ClientOptions,
  Events,
  GatewayIntentBits,
  type Interaction,
  MessageFlags,
  SlashCommandBuilder
} from "discord.js"

const commands = [
  new SlashCommandBuilder()
    .setName("vote")
    .setDescription("Asks everybody a question")
    .addStringOption((option) => option.setName("question").setDescription("What to ask").setRequired(true))
]

/** Starts the bot. `options` is for tests: it says which Discord to talk to. */
export const startBot = async (token: string, options: Partial<ClientOptions> = {}): Promise<Client<true>> => {
  const client = new Client({ intents: [GatewayIntentBits.Guilds], ...options })
  const votes = new Map<string, Map<string, "yes" | "no">>()
  client.on(Events.InteractionCreate, (interaction) => {
    answer(interaction, votes).catch((cause: unknown) => console.error(cause))
  })
  const ready = new Promise<Client<true>>((resolve) => client.once(Events.ClientReady, resolve))
  await client.login(token)
  const bot = await ready
  await bot.application.commands.set(commands)
  return bot
}

const answer = async (interaction: Interaction, votes: Map<string, Map<string, "yes" | "no">>): Promise<void> => {
  if (interaction.isChatInputCommand()) {
    votes.set(interaction.id, new Map())
    await interaction.reply({
      content: `**${interaction.options.getString("question", true)}**\nNo one has voted yet.`,
      components: [buttons(interaction.id)]
    })
    return
  }
  if (!interaction.isButton()) return
  const [choice, vote = ""] = interaction.customId.split(" ")
  const given = votes.get(vote)
  if (given === undefined || (choice !== "yes" && choice !== "no")) {
    await interaction.reply({ content: "This vote is over.", flags: MessageFlags.Ephemeral })
    return
  }
  if (given.get(interaction.user.id) === choice) {
    await interaction.reply({ content: `You already said ${choice}.`, flags: MessageFlags.Ephemeral })
    return
  }
  given.set(interaction.user.id, choice)
  const all = [...given.values()]
  const count = (wanted: string): number => all.filter((one) => one === wanted).length
  const [question = ""] = interaction.message.content.split("\n")
  await interaction.update(`${question}\n${count("yes")} yes, ${count("no")} no`)
}

const buttons = (vote: string): ActionRowBuilder<ButtonBuilder> =>
  new ActionRowBuilder<ButtonBuilder>().addComponents(
    new ButtonBuilder().setCustomId(`yes ${vote}`).setLabel("Yes").setStyle(ButtonStyle.Success),
    new ButtonBuilder().setCustomId(`no ${vote}`).setLabel("No").setStyle(ButtonStyle.Danger)
  )
