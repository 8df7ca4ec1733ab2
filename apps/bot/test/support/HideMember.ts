import type { Emulator } from "@heddle/discord-emulator"

/** Hides a member in the gateway and in REST calls, until the returned function is called. */
export const hideMember = (
  emulator: Emulator,
  userId: string,
  more: { readonly times?: number } = {}
): (() => void) => {
  const gateway = emulator.fault({ event: "GUILD_MEMBERS_CHUNK", drop: true })
  const calls = emulator.fault({ route: new RegExp(`/members/${userId}$`), method: "GET", status: 500, ...more })
  return () => {
    gateway()
    calls()
  }
}
