import {
  ButtonStyle,
  type ChatInputCommandInteraction,
  ComponentType,
  Events,
  type Interaction,
  MessageFlags,
  Routes
} from "discord.js"
import assert from "node:assert/strict"
import { type Behaviour, docs, type Json, refused, type ProbeContext } from "./ProbeContext.ts"

const reference = (section: string): string => docs("components/reference", section)
const option = (value: string, more: object = {}) => ({ label: value, value, ...more })
const options = (count: number) => Array.from({ length: count }, (_, index) => option(`${index}`))
const select = (more: object) => ({ type: ComponentType.StringSelect, custom_id: "s", options: options(3), ...more })
const users = (more: object) => ({ type: ComponentType.UserSelect, custom_id: "s", ...more })
const row = (component: object) => ({
  content: "x",
  components: [{ type: ComponentType.ActionRow, components: [component] }]
})

/** Sends a body that no builder would make. */
const send = async ({ channel, client }: ProbeContext, body: object): Promise<Json> =>
  (await client.rest.post(Routes.channelMessages((await channel()).id), { body })) as Json

/** A component in a row is refused at a place below it. */
const refusal = (it: string, source: string, component: object, place: string): Behaviour => ({
  it,
  source,
  run: (scene) => refused(50_035, send(scene, row(component)), [`components.0.components.0${place}`])
})

/** Asks for a modal as the answer to a command of Sam. */
const showModal = async ({ client, discord, guild, sam }: ProbeContext, data: object): Promise<unknown> => {
  await guild.commands.create({ name: "form", description: "Asks" })
  const got = new Promise<ChatInputCommandInteraction>((resolve) => {
    client.once(Events.InteractionCreate, (one: Interaction) => void (one.isChatInputCommand() && resolve(one)))
  })
  void sam.command(discord.channelId, "form").catch(() => undefined) // What matters is what the bot is answered.
  const { id, token } = await got
  return client.rest.post(Routes.interactionCallback(id, token), {
    body: { type: 9, data: { title: "Form", custom_id: "form", ...data } },
    auth: false
  })
}
const label = (component: object) => ({ type: ComponentType.Label, label: "What", component })
const input = (more: object) => ({ type: ComponentType.TextInput, custom_id: "t", style: 1, ...more })

const modalRefusal = (it: string, source: string, data: object, place: string): Behaviour => ({
  it,
  source,
  run: (scene) => refused(50_035, showModal(scene, data), [`data.${place}`])
})

/** What buttons, selects and modals can be made of. */
export const forms: ReadonlyArray<Behaviour> = [
  refusal(
    "lets one choose at least what one may choose at most",
    reference("string-select-string-select-structure"),
    select({ min_values: 3, max_values: 2 }),
    ".min_values NUMBER_TYPE_MAX"
  ),
  refusal(
    "offers as many options as one may choose",
    "https://github.com/Rapptz/discord.py/issues/6984",
    select({ max_values: 4 }),
    ".options BASE_TYPE_BAD_LENGTH"
  ),
  refusal(
    "preselects no more than one may choose",
    reference("string-select-string-select-structure"),
    select({ options: [option("a", { default: true }), option("b", { default: true })] }),
    ".options SELECT_COMPONENT_TOO_MANY_DEFAULT_OPTIONS"
  ),
  refusal(
    "shows 150 characters where nothing is chosen yet",
    reference("string-select-string-select-structure"),
    select({ placeholder: "p".repeat(151) }),
    ".placeholder BASE_TYPE_MAX_LENGTH"
  ),
  refusal(
    "preselects people in a select of people",
    reference("user-select-select-default-value-structure"),
    users({ default_values: [{ id: "100000000000000000", type: "role" }] }),
    ".default_values.0.type BASE_TYPE_CHOICES"
  ),
  refusal(
    "preselects people by their ids, and as many as may be chosen",
    reference("user-select-user-select-structure"),
    users({
      default_values: [
        { id: "sam", type: "user" },
        { id: "100000000000000000", type: "user" }
      ]
    }),
    ".default_values BASE_TYPE_BAD_LENGTH"
  ),
  refusal(
    "sells what a premium button names, without words of its own",
    reference("button-button-structure"),
    { type: ComponentType.Button, style: ButtonStyle.Premium, label: "Buy" },
    ".sku_id BASE_TYPE_REQUIRED"
  ),
  {
    it: "assigns component ids that are not taken",
    source: reference("anatomy-of-a-component"),
    run: async (scene) => {
      const text = (more: object) => ({ type: ComponentType.TextDisplay, content: "x", ...more })
      const ids = async (...components: ReadonlyArray<object>) =>
        (
          (await send(scene, { flags: MessageFlags.IsComponentsV2, components }))["components"] as ReadonlyArray<Json>
        ).map((one) => one["id"])
      assert.deepEqual(await ids(text({}), text({ id: 1 }), text({ id: 0 })), [2, 1, 3])
      await refused(50_035, ids(text({ id: 7 }), text({ id: 7 })), ["components.1.id COMPONENT_ID_DUPLICATED"])
    }
  },
  modalRefusal(
    "titles a modal with 45 characters",
    docs("interactions/receiving-and-responding", "interaction-response-object-modal"),
    { title: "t".repeat(46), components: [label(input({}))] },
    "title BASE_TYPE_BAD_LENGTH"
  ),
  modalRefusal(
    "puts 5 parts in a modal",
    docs("interactions/receiving-and-responding", "interaction-response-object-modal"),
    { components: Array.from({ length: 6 }, (_, index) => label(input({ custom_id: `${index}` }))) },
    "components BASE_TYPE_BAD_LENGTH"
  ),
  modalRefusal(
    "asks for a least length that is at most the greatest",
    reference("text-input-text-input-structure"),
    { components: [label(input({ min_length: 5, max_length: 4 }))] },
    "components.0.component.min_length NUMBER_TYPE_MAX"
  ),
  modalRefusal(
    "shows 100 characters in an empty input",
    reference("text-input-text-input-structure"),
    { components: [label(input({ placeholder: "p".repeat(101) }))] },
    "components.0.component.placeholder BASE_TYPE_MAX_LENGTH"
  ),
  modalRefusal(
    "takes 10 files in an input",
    reference("file-upload-file-upload-structure"),
    { components: [label({ type: ComponentType.FileUpload, custom_id: "f", max_values: 11 })] },
    "components.0.component.max_values NUMBER_TYPE_MAX"
  ),
  modalRefusal(
    "lets one choose 25 in a select of a modal",
    reference("user-select-user-select-structure"),
    { components: [label(users({ max_values: 26 }))] },
    "components.0.component.max_values NUMBER_TYPE_MAX"
  ),
  modalRefusal(
    "numbers the parts of a modal once",
    reference("anatomy-of-a-component"),
    {
      components: [
        { ...label(input({})), id: 3 },
        { ...label(input({ custom_id: "u" })), id: 3 }
      ]
    },
    "components.1.id COMPONENT_ID_DUPLICATED"
  ),
  {
    it: "accepts a modal at its limits",
    source: docs("interactions/receiving-and-responding", "interaction-response-object-modal"),
    run: async (scene) => {
      await showModal(scene, {
        title: "t".repeat(45),
        components: [
          label(input({ placeholder: "p".repeat(100), min_length: 4000, max_length: 4000 })),
          label({ type: ComponentType.FileUpload, custom_id: "f", min_values: 0, max_values: 10 }),
          label(select({ placeholder: "p".repeat(150), max_values: 3 })),
          label(users({ custom_id: "u", max_values: 25 })),
          { type: ComponentType.TextDisplay, content: "x" }
        ]
      })
    }
  }
]
