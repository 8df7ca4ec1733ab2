import { Flag } from "../../model/Constants.ts"
import { apiErrors } from "../../model/DiscordError.ts"
import type { StoredMessage } from "../../model/Records.ts"
import { legacyFieldsError } from "../../validate/MessageBody.ts"

/** Flags that a sender may set. */
export const senderFlags = Flag.suppressEmbeds | Flag.suppressNotifications | Flag.componentsV2

/** Throws 50006 for a message without content, and 50035 for `content` or `embeds` beside components V2. */
export const requireContent = (
  message: Pick<StoredMessage, "attachments" | "components" | "content" | "embeds" | "flags">
): void => {
  const { attachments, components, content, embeds, flags } = message
  if ((flags & Flag.componentsV2) === 0) {
    if (content === "" && embeds.length + components.length + attachments.length === 0) throw apiErrors.emptyMessage()
    return
  }
  if (components.length === 0) throw apiErrors.emptyMessage()
  const legacy = [...(content === "" ? [] : ["content"]), ...(embeds.length === 0 ? [] : ["embeds"])]
  if (legacy.length > 0) throw legacyFieldsError(legacy)
}
