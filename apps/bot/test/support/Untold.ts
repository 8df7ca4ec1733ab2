import type { Emulator } from "@heddle/discord-emulator"

/** Discord does not tell who somebody is, neither over the gateway nor when it is called, until the returned function is called. */
export const untold = (emulator: Emulator, userId: string, more: { readonly times?: number } = {}): (() => void) => {
  const gateway = emulator.fault({ event: "GUILD_MEMBERS_CHUNK", drop: true })
  const calls = emulator.fault({ route: new RegExp(`/members/${userId}$`), method: "GET", status: 500, ...more })
  return () => {
    gateway()
    calls()
  }
}
