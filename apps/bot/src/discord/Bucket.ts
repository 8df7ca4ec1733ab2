/** The rate limit bucket of calls of one kind in one channel. Sends and edits are one kind. */
export const bucketOf = (method: string, path: string): string => {
  const [, channel, pathInChannel = ""] = /^\/channels\/(\d+)(.*)$/.exec(path) ?? []
  return channel === undefined ? `${method} ${path}` : `${kindOf(method, pathInChannel)}:${channel}`
}

/** The bucket of sending and editing messages in a channel. */
export const messagesOf = (channelId: string): string => `messages:${channelId}`

/** The kind of a call, by its method and its path after the channel id. */
const kindOf = (method: string, pathInChannel: string): string => {
  if (pathInChannel.includes("/reactions/")) return "reactions"
  if (pathInChannel.endsWith("/threads")) return "threads"
  if (!pathInChannel.startsWith("/messages")) return pathInChannel === "/typing" ? "typing" : "channel"
  if (method === "GET") return "history"
  return method === "DELETE" ? "delete" : "messages"
}
