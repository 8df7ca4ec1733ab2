import type { APIMessageTopLevelComponent } from "discord-api-types/v10"
import { checkedAs, type JsonObject, isJsonObject } from "../validate/Form.ts"
import { Component } from "../model/Constants.ts"
import type { LinkedFile } from "./RenderAttachment.ts"

/** The components of a message as clients receive them: media objects in full, files by their address. */
export const renderComponents = (
  components: ReadonlyArray<APIMessageTopLevelComponent>,
  messageId: string,
  find: (url: string) => LinkedFile | undefined
): Array<APIMessageTopLevelComponent> => {
  const renderMedia = (value: unknown): object => {
    const url = isJsonObject(value) ? String(value["url"]) : ""
    const attachment = find(url)
    if (attachment === undefined) return { id: messageId, url, proxy_url: url, width: null, height: null }
    const { contentType, height = null, id, width = null } = attachment.file
    return {
      id,
      url: attachment.url,
      proxy_url: attachment.url,
      width,
      height,
      content_type: contentType,
      attachment_id: id
    }
  }
  const withDescription = (fields: JsonObject): object => ({
    description: fields["description"] ?? null,
    media: renderMedia(fields["media"])
  })

  const render = (value: unknown): unknown => {
    if (!isJsonObject(value)) return value
    switch (value["type"]) {
      case Component.thumbnail:
        return { ...value, ...withDescription(value) }
      case Component.mediaGallery: {
        const items = Array.isArray(value["items"]) ? value["items"].filter(isJsonObject) : []
        return { ...value, items: items.map((item) => ({ ...item, ...withDescription(item) })) }
      }
      case Component.file: {
        const attachment = isJsonObject(value["file"]) ? find(String(value["file"]["url"])) : undefined
        const { filename = null, size = null } = attachment?.file ?? {}
        return { ...value, file: renderMedia(value["file"]), name: filename, size }
      }
      default:
        return {
          ...value,
          ...(Array.isArray(value["components"]) ? { components: value["components"].map(render) } : {}),
          ...(isJsonObject(value["accessory"]) ? { accessory: render(value["accessory"]) } : {})
        }
    }
  }
  return components.map((component) => checkedAs<APIMessageTopLevelComponent>(render(component)))
}
