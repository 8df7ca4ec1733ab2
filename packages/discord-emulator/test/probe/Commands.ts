import assert from "node:assert/strict"
import { ApplicationCommandType, Routes } from "discord.js"
import { startEmulator } from "@heddle/discord-emulator"
import { type Behaviour, docs, refused, type ProbeContext } from "./ProbeContext.ts"

const structure = (section: string): string => docs("interactions/application-commands", section)
const optionStructure = structure("application-command-object-application-command-option-structure")
const choiceStructure = structure("application-command-object-application-command-option-choice-structure")

const text = { name: "word", description: "x", type: 3 }
const number = { name: "count", description: "x", type: 4 }
const subcommand = { name: "sub", description: "x", type: 1 }
const group = { name: "group", description: "x", type: 2 }
const choices = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${index}`, value: `${index}` }))

/** Makes a command with a body that no builder would make. */
const make = ({ client, discord, guild }: ProbeContext, body: object) =>
  client.rest.post(Routes.applicationGuildCommands(discord.applicationId, guild.id), {
    body: { name: "made", description: "x", ...body }
  })

/** A command with these options is refused, with these form errors. */
const refusal = (it: string, source: string, options: ReadonlyArray<object>, place: string): Behaviour => ({
  it,
  source,
  run: (scene) => refused(50_035, make(scene, { options }), [place])
})

/** What commands can be made of. */
export const commands: ReadonlyArray<Behaviour> = [
  refusal(
    "takes each option name once",
    optionStructure,
    [text, text],
    "options.1.name APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS"
  ),
  refusal(
    "takes no subcommand beside other options",
    "https://github.com/discordjs/discord.js/issues/7648",
    [text, subcommand],
    "options.1 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
  ),
  refusal(
    "takes no group inside a group",
    structure("subcommands-and-subcommand-groups"),
    [{ ...group, options: [group] }],
    "options.0.options.0 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
  ),
  refusal(
    "takes no subcommand inside a subcommand",
    structure("subcommands-and-subcommand-groups"),
    [{ ...subcommand, options: [subcommand] }],
    "options.0.options.0 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID"
  ),
  refusal(
    "takes required options before the others, also in a subcommand",
    "https://github.com/discord/discord-api-docs/issues/5615",
    [{ ...subcommand, options: [text, { ...number, required: true }] }],
    "options.0.options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID"
  ),
  refusal(
    "takes choices or suggestions, not both",
    optionStructure,
    [{ ...text, autocomplete: true, choices: choices(1) }],
    "options.0.autocomplete APPLICATION_COMMAND_OPTION_AUTOCOMPLETE_INVALID"
  ),
  refusal(
    "suggests for texts and numbers only",
    optionStructure,
    [{ ...text, type: 6, autocomplete: true }],
    "options.0.autocomplete APPLICATION_COMMAND_OPTION_TYPE_INVALID"
  ),
  refusal(
    "takes choices of the type of their option",
    choiceStructure,
    [{ ...number, choices: [{ name: "one", value: "one" }] }],
    "options.0.choices.0.value NUMBER_TYPE_COERCE"
  ),
  refusal(
    "takes each choice name once",
    choiceStructure,
    [{ ...text, choices: [...choices(1), { name: "0", value: "other" }] }],
    "options.0.choices.1.name APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS"
  ),
  refusal(
    "takes 25 choices",
    optionStructure,
    [{ ...text, choices: choices(26) }],
    "options.0.choices BASE_TYPE_MAX_LENGTH"
  ),
  refusal(
    "takes a least value that is at most the greatest",
    optionStructure,
    [{ ...number, min_value: 2, max_value: 1 }],
    "options.0.max_value APPLICATION_COMMAND_OPTION_VALUE_INVALID"
  ),
  refusal(
    "takes a least length that is at most the greatest",
    optionStructure,
    [{ ...text, min_length: 2, max_length: 1 }],
    "options.0.max_length APPLICATION_COMMAND_OPTION_LENGTH_INVALID"
  ),
  refusal(
    "takes texts of 6000 characters at most",
    optionStructure,
    [{ ...text, max_length: 6001 }],
    "options.0.max_length NUMBER_TYPE_MAX"
  ),
  {
    it: "accepts a command at its limits",
    source: optionStructure,
    run: async (scene) => {
      await make(scene, {
        options: [
          { ...text, min_length: 6000, max_length: 6000 },
          { ...text, name: "chosen", choices: choices(25) },
          { ...number, min_value: 1, max_value: 1 }
        ]
      })
      await make(scene, {
        name: "nested",
        options: [subcommand, { ...group, options: [{ ...subcommand, options: [text] }] }]
      })
    }
  },
  {
    it: "refuses a description for context menu commands",
    source: structure("application-command-object-application-command-structure"),
    run: (scene) =>
      refused(50_035, make(scene, { name: "Keep", type: ApplicationCommandType.Message }), [
        "description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION_INVALID"
      ])
  },
  {
    it: "answers 201 for a new command and 200 for an existing one",
    source: structure("create-guild-application-command"),
    run: async ({ discord }) => {
      const status = async () => {
        const response = await fetch(
          `${discord.api}/v10/applications/${discord.applicationId}/guilds/${discord.guildId}/commands`,
          {
            method: "POST",
            headers: { authorization: `Bot ${discord.botToken}`, "content-type": "application/json" },
            body: JSON.stringify({ name: "twice", description: "x" })
          }
        )
        return response.status
      }
      assert.deepEqual([await status(), await status()], [201, 200])
    }
  },
  {
    it: "limits new commands to 200 a day",
    source: structure("registering-a-command"),
    run: async ({ clock }) => {
      const discord = await startEmulator({ clock, limits: { profile: "discord", buckets: {}, global: undefined } })
      const put = async (names: ReadonlyArray<string>) => {
        const response = await fetch(
          `${discord.api}/v10/applications/${discord.applicationId}/guilds/${discord.guildId}/commands`,
          {
            method: "PUT",
            headers: { authorization: `Bot ${discord.botToken}`, "content-type": "application/json" },
            body: JSON.stringify(names.map((name) => ({ name, description: "x" })))
          }
        )
        const body: unknown = await response.json()
        return [response.status, (body as { readonly code?: number }).code]
      }
      const names = (prefix: string) => Array.from({ length: 100 }, (_, index) => `${prefix}${index}`)
      assert.deepEqual(await put(names("a")), [200, undefined])
      assert.deepEqual(await put(names("a")), [200, undefined])
      assert.deepEqual(await put(names("b")), [200, undefined])
      assert.deepEqual(await put(["c"]), [400, 30_034])
      clock.advance(86_400_000)
      assert.deepEqual(await put(["c"]), [200, undefined])
      await discord.close()
    }
  }
]
