/** Every slash command as typed, without the slash. */
export const commandPaths = [
  "task new",
  "task list",
  "task open",
  "task status",
  "task stop",
  "task share",
  "task unshare",
  "task mode",
  "task model",
  "task options",
  "task command",
  "artifacts list",
  "artifacts open",
  "artifacts download",
  "artifacts plan",
  "connect",
  "disconnect",
  "credit",
  "redeem code",
  "redeem voucher",
  "profile",
  "verify-phone",
  "assistant status",
  "assistant send",
  "assistant history",
  "assistant chat",
  "settings show",
  "settings access",
  "settings language",
  "settings agent",
  "settings audit",
  "settings welcome",
  "help"
] as const

/** The commands that a text resembles: the exact one, or all with its first word. */
export const commandsTyped = (text: string): ReadonlyArray<string> => {
  const typed = /^\s*[/／]([a-z-]+)(?:\s+([a-z-]+))?(?:\s|$)/i.exec(text)?.slice(1, 3) ?? []
  const [name, more] = typed.map((word) => word?.toLowerCase())
  const named = commandPaths.filter((path) => path.split(" ")[0] === name)
  const exact = named.filter((path) => path === name || path === `${name} ${more}`)
  return exact.length > 0 ? exact : named
}
