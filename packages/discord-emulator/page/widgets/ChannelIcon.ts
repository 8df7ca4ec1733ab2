import type { TemplateResult } from "lit"
import { icons } from "./Icons.ts"
import { type Channel, ChannelType, isThread } from "../model/Types.ts"

/** Draws what kind of channel this is. */
export const channelIcon = (channel: Channel | undefined): TemplateResult => {
  if (channel === undefined) return icons.hash
  if (isThread(channel)) return icons.thread
  switch (channel.type) {
    case ChannelType.direct:
      return icons.mention
    case ChannelType.announcement:
      return icons.megaphone
    case ChannelType.forum:
      return icons.forum
    default:
      return icons.hash
  }
}
