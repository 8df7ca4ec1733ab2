import { PermissionFlagsBits } from "discord.js"

/** The permissions that the bot needs in a server, with Discord's names for them. */
const needed = [
  [PermissionFlagsBits.ViewChannel, "View Channels"],
  [PermissionFlagsBits.SendMessages, "Send Messages"],
  [PermissionFlagsBits.CreatePublicThreads, "Create Public Threads"],
  [PermissionFlagsBits.CreatePrivateThreads, "Create Private Threads"],
  [PermissionFlagsBits.SendMessagesInThreads, "Send Messages in Threads"],
  [PermissionFlagsBits.EmbedLinks, "Embed Links"],
  [PermissionFlagsBits.AttachFiles, "Attach Files"],
  [PermissionFlagsBits.ReadMessageHistory, "Read Message History"]
] as const

/** The names of the needed permissions that the bot lacks in a server. */
export const missing = (permissions: bigint): ReadonlyArray<string> =>
  (permissions & PermissionFlagsBits.Administrator) !== 0n
    ? []
    : needed.filter(([bit]) => (permissions & bit) === 0n).map(([, name]) => name)

/** The page on which an admin adds the bot to a server or grants it permissions. */
export const link = (applicationId: string): string => {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(needed.reduce((sum, [bit]) => sum | bit, 0n))
  })
  return `https://discord.com/oauth2/authorize?${query}`
}
