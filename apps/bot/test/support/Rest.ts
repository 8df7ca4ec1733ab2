import type { Emulator } from "@heddle/discord-emulator"

/** A call to Discord with the bot's token, for what a moderator does to channels and threads. */
export const rest = async ({ api, botToken }: Emulator, method: string, path: string, body?: object) => {
  const response = await fetch(`${api}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${botToken}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  const text = await response.text()
  return (text === "" ? {} : JSON.parse(text)) as Record<string, any>
}
