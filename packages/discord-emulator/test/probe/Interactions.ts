import assert from "node:assert/strict"
import {
  ActionRowBuilder,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ButtonBuilder,
  ButtonStyle,
  type ChatInputCommandInteraction,
  Events,
  type Interaction,
  Locale,
  MessageFlags,
  MessageType,
  ModalBuilder,
  Routes,
  TextInputBuilder,
  TextInputStyle
} from "discord.js"
import { type Behaviour, docs, type Json, refused, type ProbeContext } from "./ProbeContext.ts"

const responding = (section: string): string => docs("interactions/receiving-and-responding", section)
const commandsPage = (section: string): string => docs("interactions/application-commands", section)
const codes = docs("topics/opcodes-and-status-codes", "json")

/** Runs `/probe` as Sam and gives the interaction as the bot gets it. */
const ran = async ({ client, discord, guild, sam }: ProbeContext) => {
  await guild.commands.create({ name: "probe", description: "Probes" })
  const got = new Promise<ChatInputCommandInteraction>((resolve) => {
    const take = (interaction: Interaction): void => {
      if (!interaction.isChatInputCommand()) return
      client.off(Events.InteractionCreate, take)
      resolve(interaction)
    }
    client.on(Events.InteractionCreate, take)
  })
  const answer = sam.command(discord.channelId, "probe").catch((error: unknown) => error)
  return { interaction: await got, answer }
}

const modal = (): ModalBuilder =>
  new ModalBuilder()
    .setCustomId("form")
    .setTitle("Form")
    .addComponents(
      new ActionRowBuilder<TextInputBuilder>().addComponents(
        new TextInputBuilder().setCustomId("name").setLabel("Name").setStyle(TextInputStyle.Short)
      )
    )

/** Commands, and what an application answers. */
export const interactions: ReadonlyArray<Behaviour> = [
  {
    it: "rejects a first response after 3 seconds",
    source: responding("interaction-callback"),
    run: async (scene) => {
      const { interaction, answer } = await ran(scene)
      scene.clock.advance(3001)
      assert.match(String(await answer), /did not respond/)
      await refused(10_062, interaction.reply("late"))
    }
  },
  {
    it: "accepts one first response",
    source: codes,
    run: async (scene) => {
      const { interaction } = await ran(scene)
      await interaction.reply("first")
      const path = Routes.interactionCallback(interaction.id, interaction.token)
      await refused(
        40_060,
        scene.client.rest.post(path, { body: { type: 4, data: { content: "second" } }, auth: false })
      )
    }
  },
  {
    it: "ends the token of an interaction after 15 minutes",
    source: responding("followup-messages"),
    run: async (scene) => {
      const { interaction } = await ran(scene)
      await interaction.deferReply()
      scene.clock.advance(15 * 60_000 - 1000)
      await interaction.editReply("just in time")
      scene.clock.advance(1001)
      await refused(50_027, interaction.editReply("too late"))
    }
  },
  {
    it: "returns the first response as @original, loading until it is filled",
    source: responding("get-original-interaction-response"),
    run: async (scene) => {
      const { interaction } = await ran(scene)
      await interaction.deferReply()
      assert.ok((await interaction.fetchReply()).flags.has(MessageFlags.Loading))
      await interaction.editReply("done")
      const filled = await interaction.fetchReply()
      assert.deepEqual([filled.content, filled.flags.has(MessageFlags.Loading)], ["done", false])
    }
  },
  {
    it: "decides with the deferral whether the response is ephemeral",
    source: responding("interaction-response-object-messages"),
    run: async (scene) => {
      const { interaction } = await ran(scene)
      await interaction.deferReply({ flags: MessageFlags.Ephemeral })
      assert.ok((await interaction.editReply("only you")).flags.has(MessageFlags.Ephemeral))
      assert.equal(scene.sam.ephemerals(scene.discord.channelId).at(-1)?.content, "only you")
    }
  },
  {
    it: "allows a modal only as a first response, and not to a modal",
    source: responding("interaction-response-object-interaction-callback-type"),
    run: async (scene) => {
      const { client, sam } = scene
      const { interaction, answer } = await ran(scene)
      await interaction.showModal(modal())
      await refused(
        40_060,
        client.rest.post(Routes.interactionCallback(interaction.id, interaction.token), {
          body: { type: 5 },
          auth: false
        })
      )
      const submitted = new Promise<Interaction>((resolve) => void client.once(Events.InteractionCreate, resolve))
      const opened = (await answer) as { readonly id: string }
      void sam.submit(opened, { name: "x" }).catch(() => undefined) // What matters is what the bot gets.
      const { id, token } = await submitted
      await refused(
        50_035,
        client.rest.post(Routes.interactionCallback(id, token), {
          body: { type: 9, data: modal().toJSON() },
          auth: false
        })
      )
    }
  },
  {
    it: "refers from the modal's response to the interaction that opened it",
    source: docs(
      "resources/message",
      "message-interaction-metadata-object-modal-submit-interaction-metadata-structure"
    ),
    run: async (scene) => {
      const { client, sam } = scene
      const { interaction, answer } = await ran(scene)
      await interaction.showModal(modal())
      client.once(Events.InteractionCreate, (submit) => void (submit.isModalSubmit() && submit.reply("thanks")))
      const { message } = await sam.submit((await answer) as { readonly id: string }, { name: "x" })
      const metadata = message?.interaction_metadata as Json | undefined
      const opener = metadata?.["triggering_interaction_metadata"] as Json | undefined
      assert.equal(opener?.["id"], interaction.id)
    }
  },
  {
    it: "refers from the response to the message of the button",
    source: docs(
      "resources/message",
      "message-interaction-metadata-object-message-component-interaction-metadata-structure"
    ),
    run: async ({ channel, client, sam }) => {
      const place = await channel()
      const button = new ButtonBuilder().setCustomId("go").setLabel("Go").setStyle(ButtonStyle.Primary)
      const sent = await place.send({ components: [new ActionRowBuilder<ButtonBuilder>().addComponents(button)] })
      client.once(Events.InteractionCreate, (press) => void (press.isButton() && press.reply("went")))
      const { message } = await sam.press(place.id, sent.id, "go")
      assert.equal((message?.interaction_metadata as Json | undefined)?.["interacted_message_id"], sent.id)
      assert.deepEqual([message?.type, message?.referenced_message?.id], [MessageType.Reply, sent.id])
    }
  },
  {
    it: "refers from the response to the target of a context menu command",
    source: docs(
      "resources/message",
      "message-interaction-metadata-object-application-command-interaction-metadata-structure"
    ),
    run: async ({ channel, client, guild, sam, you }) => {
      const place = await channel()
      await guild.commands.set([
        { name: "Keep", type: ApplicationCommandType.Message },
        { name: "Greet", type: ApplicationCommandType.User }
      ])
      const answer = (): void =>
        void client.once(Events.InteractionCreate, (used) => void (used.isContextMenuCommand() && used.reply("done")))
      const asked = await sam.send(place.id, "keep this")
      answer()
      const kept = (await sam.messageCommand(place.id, asked.id, "Keep")).message
      assert.deepEqual([kept?.type, kept?.referenced_message?.id], [MessageType.ContextMenuCommand, asked.id])
      assert.equal((kept?.interaction_metadata as Json | undefined)?.["target_message_id"], asked.id)
      answer()
      const greeted = (await sam.userCommand(place.id, you.id, "Greet")).message
      const target = (greeted?.interaction_metadata as Json | undefined)?.["target_user"] as Json | undefined
      assert.equal(target?.["id"], you.id)
    }
  },
  {
    it: "limits autocomplete to 25 choices",
    source: responding("interaction-response-object-autocomplete"),
    run: async ({ client, discord, guild, sam }) => {
      await guild.commands.create({
        name: "find",
        description: "Finds",
        options: [{ name: "what", description: "What", type: ApplicationCommandOptionType.String, autocomplete: true }]
      })
      const choices = Array.from({ length: 26 }, (_, index) => ({ name: `${index}`, value: `${index}` }))
      const tried = new Promise<void>((resolve, reject) => {
        client.once(Events.InteractionCreate, (typing) => {
          if (!typing.isAutocomplete()) return
          refused(50_035, typing.respond(choices))
            .then(() =>
              client.rest.post(Routes.interactionCallback(typing.id, typing.token), {
                body: { type: 8, data: { choices: choices.slice(0, 25) } },
                auth: false
              })
            )
            .then(() => resolve(), reject)
        })
      })
      const suggested = await sam.autocomplete(discord.channelId, "find", {}, "what")
      await tried
      assert.equal(suggested.length, 25)
    }
  },
  {
    it: "sends the locales of the user and the guild",
    source: responding("interaction-object-interaction-structure"),
    run: async (scene) => {
      scene.sam.speak("de")
      const { interaction } = await ran(scene)
      scene.sam.speak("en-US")
      assert.deepEqual([interaction.locale, interaction.guildLocale], ["de", "en-US"])
      await interaction.reply("hallo")
    }
  },
  {
    it: "sends app_permissions for the channel",
    source: responding("interaction-object-interaction-structure"),
    run: async ({ channel, client, guild, sam }) => {
      await guild.commands.create({ name: "probe", description: "Probes" })
      const place = await channel()
      await place.permissionOverwrites.create(client.user.id, { AttachFiles: false })
      const got = new Promise<Interaction>((resolve) => void client.once(Events.InteractionCreate, resolve))
      const answer = sam.command(place.id, "probe")
      const interaction = await got
      assert.equal(interaction.appPermissions.has("AttachFiles"), false)
      if (interaction.isChatInputCommand()) await interaction.reply("seen")
      await answer
    }
  },
  {
    it: "lists commands without localizations unless requested",
    source: commandsPage("retrieving-localized-commands"),
    run: async ({ client, discord, guild }) => {
      await guild.commands.create({
        name: "hello",
        description: "Greets",
        nameLocalizations: { [Locale.German]: "hallo" }
      })
      const path = Routes.applicationGuildCommands(discord.applicationId, guild.id)
      const list = async (query: string, headers: Record<string, string> = {}) => {
        const all = (await client.rest.get(path, { query: new URLSearchParams(query), headers })) as ReadonlyArray<Json>
        return all.find((one) => one["name"] === "hello")
      }
      assert.equal((await list(""))?.["name_localizations"], undefined)
      assert.equal((await list("", { "x-discord-locale": "de" }))?.["name_localized"], "hallo")
      assert.deepEqual((await list("with_localizations=true"))?.["name_localizations"], { de: "hallo" })
    }
  },
  {
    it: "checks localizations against Discord's locales and limits",
    source: commandsPage("localization"),
    run: async ({ client, discord, guild }) => {
      const path = Routes.applicationGuildCommands(discord.applicationId, guild.id)
      const make = (translations: object) =>
        client.rest.post(path, { body: { name: "x", description: "x", name_localizations: translations } })
      await refused(50_035, make({ tlh: "x" }))
      await refused(50_035, make({ de: "Mit Leerzeichen" }), ["name_localizations.de APPLICATION_COMMAND_INVALID_NAME"])
    }
  },
  {
    it: "overwrites a command of the same name and keeps its id",
    source: commandsPage("create-guild-application-command"),
    run: async ({ guild }) => {
      const first = await guild.commands.create({ name: "again", description: "One" })
      const second = await guild.commands.create({ name: "again", description: "Two" })
      assert.deepEqual([second.id, second.description], [first.id, "Two"])
      await first.delete()
      await refused(10_063, guild.commands.fetch(first.id))
    }
  },
  {
    it: "takes 100 slash commands, 15 for messages, and 8000 characters in one",
    source: docs("interactions/application-commands", "registering-a-command"),
    run: async ({ guild }) => {
      const slash = (index: number) => ({ name: `c${index}`, description: "x" })
      await refused(30_032, guild.commands.set(Array.from({ length: 101 }, (_, index) => slash(index))))
      const menu = (index: number) => ({ name: `m${index}`, type: ApplicationCommandType.Message as const })
      await refused(30_032, guild.commands.set(Array.from({ length: 16 }, (_, index) => menu(index))))
      const options = Array.from({ length: 25 }, (_, index) => ({
        name: `o${index}`,
        description: "x".repeat(100),
        type: ApplicationCommandOptionType.String as const,
        choices: Array.from({ length: 25 }, (__, choice) => ({ name: `n${choice}`, value: "v".repeat(20) }))
      }))
      await refused(50_035, guild.commands.create({ name: "big", description: "x", options }))
    }
  },
  {
    it: "hides commands with default_member_permissions 0",
    source: commandsPage("permissions"),
    run: async ({ discord, guild, sam }) => {
      await guild.commands.create({ name: "admin", description: "x", defaultMemberPermissions: 0n })
      await assert.rejects(sam.command(discord.channelId, "admin"), /There is no command/)
    }
  },
  {
    it: "requires default_member_permissions to run a command",
    source: docs("topics/permissions", "permissions-bitwise-permission-flags"),
    run: async ({ channel, guild, sam }) => {
      await guild.commands.create({ name: "probe", description: "Probes" })
      const place = await channel()
      await place.permissionOverwrites.create(guild.id, { UseApplicationCommands: false })
      await assert.rejects(sam.command(place.id, "probe"), /Missing Permissions/)
    }
  }
]
