import type { APIAttachment, APIEmbed, APIMessage } from "discord-api-types/v10"
import { type JsonObject, isJsonObject } from "../validate/Form.ts"
import { Component, Flag, MessageKind } from "../model/Constants.ts"

/** Messages as plain text: author, content, embeds, components with their state, files, reactions. */
export const transcriptOf = (messages: ReadonlyArray<APIMessage>): string => messages.map(messageText).join("\n")

const messageText = (message: APIMessage): string => {
  const flags = message.flags ?? 0
  const labels = [
    message.author.bot === true ? " [bot]" : "",
    (flags & Flag.ephemeral) !== 0 ? " (only you)" : "",
    message.edited_timestamp === null ? "" : " (edited)"
  ].join("")
  const reply = message.referenced_message?.author.username
  const header = `${message.author.username}${labels}${message.type === MessageKind.reply && reply !== undefined ? ` → ${reply}` : ""}:`
  const content = (flags & Flag.loading) !== 0 ? "is thinking…" : systemText(message)
  const body = [
    ...(message.message_snapshots ?? []).flatMap(({ message: snapshot }) => [
      `[forwarded] ${snapshot.content}`.trimEnd(),
      ...(snapshot.embeds ?? []).flatMap(embedLines),
      ...(snapshot.components ?? []).flatMap(componentLines),
      ...(snapshot.attachments ?? []).map(fileLine)
    ]),
    ...(message.embeds ?? []).flatMap(embedLines),
    ...(message.components ?? []).flatMap(componentLines),
    ...(message.attachments ?? []).map(fileLine),
    ...(message.reactions ?? []).map((reaction) => `(${reaction.emoji.name ?? ""} ${reaction.count})`)
  ]
  return [
    content === "" ? header : `${header} ${content.replaceAll("\n", "\n  ")}`,
    ...body.map((line) => `  ${line}`)
  ].join("\n")
}

const fileLine = (file: APIAttachment): string =>
  `[file ${file.filename}, ${file.content_type ?? "unknown"}, ${file.size} bytes]`

const systemText = (message: APIMessage): string => {
  const mentionedNames = message.mentions.map((user) => user.username).join(", ")
  if (message.type === MessageKind.recipientAdd) return `added ${mentionedNames}`
  if (message.type === MessageKind.recipientRemove) return `removed ${mentionedNames}`
  if (message.type === MessageKind.nameChange) return `changed the name: ${message.content}`
  if (message.type === MessageKind.pinned) return "pinned a message"
  if (message.type === MessageKind.threadCreated) return `started a thread: ${message.content}`
  if (message.type === MessageKind.threadStarter)
    return `(start of the thread) ${message.referenced_message?.content ?? ""}`.trimEnd()
  return message.content
}

const embedLines = (embed: APIEmbed): ReadonlyArray<string> =>
  [
    embed.author?.name,
    embed.title === undefined ? undefined : `# ${embed.title}`,
    embed.description,
    ...(embed.fields ?? []).map((field) => `${field.name}: ${field.value}`),
    embed.image === undefined ? undefined : `[image ${embed.image.url}]`,
    embed.thumbnail === undefined ? undefined : `[thumbnail ${embed.thumbnail.url}]`,
    embed.footer?.text
  ].flatMap((line) => (line === undefined ? [] : line.split("\n").map((part) => `│ ${part}`)))

const componentLines = (component: unknown): ReadonlyArray<string> => {
  if (!isJsonObject(component)) return []
  const children = Array.isArray(component["components"]) ? component["components"] : []
  switch (component["type"]) {
    case Component.actionRow:
      return [children.filter(isJsonObject).map(componentText).join(" ")]
    case Component.textDisplay:
      return String(component["content"]).split("\n")
    case Component.section:
      return [
        ...children.flatMap(componentLines),
        ...(isJsonObject(component["accessory"]) ? [componentText(component["accessory"])] : [])
      ]
    case Component.container:
      return children.flatMap(componentLines).map((line) => `│ ${line}`)
    case Component.separator:
      return ["───"]
    default:
      return [componentText(component)]
  }
}

const componentText = (component: JsonObject): string => {
  const state = component["disabled"] === true ? " (disabled)" : ""
  if (component["type"] === Component.button) {
    const emoji = isJsonObject(component["emoji"]) ? String(component["emoji"]["name"] ?? "") : ""
    const label = [emoji, component["label"]].filter(Boolean).join(" ")
    return component["url"] === undefined ? `[${label}]${state}` : `[${label} → ${String(component["url"])}]${state}`
  }
  if (component["type"] === Component.stringSelect) {
    const options = Array.isArray(component["options"]) ? component["options"].filter(isJsonObject) : []
    return `[select ${String(component["placeholder"] ?? "")}: ${options.map((option) => option["label"]).join(" | ")}]${state}`
  }
  if (component["type"] === Component.mediaGallery && Array.isArray(component["items"]))
    return component["items"]
      .map((item) =>
        isJsonObject(item) && isJsonObject(item["media"]) ? `[image ${String(item["media"]["url"])}]` : ""
      )
      .join(" ")
  if (isJsonObject(component["file"])) return `[file ${String(component["file"]["url"])}]`
  if (isJsonObject(component["media"])) return `[image ${String(component["media"]["url"])}]`
  return `[${String(component["placeholder"] ?? component["custom_id"] ?? "component")}]${state}`
}
