import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import type { Change } from "../model/Records.ts"

/** Whether this version knows a kind of change. */
export const isKnownKind = (kind: unknown): kind is Change["kind"] =>
  typeof kind === "string" && Object.hasOwn(shapes, kind)

/** Why an entry of a log does not match the schema, if it does not. */
export const schemaError = (kind: Change["kind"], entry: JsonObject): string | undefined => {
  const { recordKey, fields } = shapes[kind]
  const record = recordKey === undefined ? entry : entry[recordKey]
  if (!isJsonObject(record)) return `its ${recordKey ?? "content"} is missing`
  const mismatch = Object.entries(fields).find(([key, type]) => !valueTypes[type](record[key]))
  return mismatch === undefined ? undefined : `its ${mismatch[0]} is not a ${mismatch[1]}`
}

const valueTypes = {
  text: (value: unknown) => typeof value === "string",
  number: (value: unknown) => typeof value === "number",
  "yes or no": (value: unknown) => typeof value === "boolean",
  list: (value: unknown) => Array.isArray(value),
  /** An id or permission bits, which are calculated with. */
  "text of digits": (value: unknown) => typeof value === "string" && /^\d{1,20}$/.test(value)
}

interface Shape {
  /** The key of the record; without it the entry itself has the fields. */
  readonly recordKey?: "value"
  readonly fields: Readonly<Record<string, keyof typeof valueTypes>>
}

const id = "text of digits"
const record = (fields: Shape["fields"]): Shape => ({ recordKey: "value", fields })
const gone: Shape = { fields: { id } }

const shapes: Readonly<Record<Change["kind"], Shape>> = {
  realm: record({
    applicationId: id,
    botId: id,
    botToken: "text",
    guildId: id,
    guildName: "text",
    ownerId: id,
    everyoneRoleId: id,
    botRoleId: id,
    channelId: id
  }),
  user: record({ id, username: "text", bot: "yes or no" }),
  member: record({ id, roleIds: "list", joinedAt: "text" }),
  member_gone: gone,
  role: record({ id, name: "text", permissions: id, position: "number" }),
  role_gone: gone,
  webhook: record({ id, token: "text", channelId: id, name: "text", creatorId: id }),
  webhook_gone: gone,
  channel: record({ id, type: "number", name: "text", position: "number", slowmode: "number" }),
  channel_gone: gone,
  message: record({
    id,
    channelId: id,
    authorId: id,
    type: "number",
    content: "text",
    flags: "number",
    timestamp: "text",
    embeds: "list",
    components: "list",
    attachments: "list",
    mentionIds: "list",
    reactions: "list"
  }),
  message_gone: { fields: { channelId: id, id } },
  messages_gone: { fields: { channelId: id, ids: "list" } },
  commands: { fields: { value: "list" } },
  interaction: record({ id, token: "text", type: "number", userId: id, channelId: id, createdAt: "number" })
}
