/** The rate limit bucket of calls of one kind in one channel. Sends and edits are one kind. */
export const bucketOf = (method: string, path: string): string => {
  const [, channel, rest = ""] = /^\/channels\/(\d+)(.*)$/.exec(path) ?? []
  return channel === undefined ? `${method} ${path}` : `${kindOf(method, rest)}:${channel}`
}

/** The bucket of sending and editing messages in a channel. */
export const messagesOf = (channelId: string): string => `messages:${channelId}`

const kindOf = (method: string, rest: string): string => {
  if (rest.includes("/reactions/")) return "reactions"
  if (rest.endsWith("/threads")) return "threads"
  if (!rest.startsWith("/messages")) return rest === "/typing" ? "typing" : "channel"
  if (method === "GET") return "history"
  return method === "DELETE" ? "delete" : "messages"
}
