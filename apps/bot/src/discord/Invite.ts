import { PermissionFlagsBits } from "discord.js"

/** What the bot needs in a server and no more, with the names that Discord shows. */
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

/** The names of the permissions that are missing in a server, of those that it gives the bot. */
export const missing = (permissions: bigint): ReadonlyArray<string> =>
  (permissions & PermissionFlagsBits.Administrator) !== 0n
    ? []
    : needed.filter(([bit]) => (permissions & bit) === 0n).map(([, name]) => name)

/** The page on which an admin lets the bot into a server, or gives it what it needs there. */
export const link = (applicationId: string): string => {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: "bot applications.commands",
    permissions: String(needed.reduce((sum, [bit]) => sum | bit, 0n))
  })
  return `https://discord.com/oauth2/authorize?${query}`
}
