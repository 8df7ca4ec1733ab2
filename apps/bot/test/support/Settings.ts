import type { Actor, Emulator } from "@heddle/discord-emulator"

type Components = ReadonlyArray<{ readonly components: ReadonlyArray<{ readonly custom_id?: string }> }>

const idsOf = (message: { readonly components?: unknown }): ReadonlyArray<string> =>
  ((message.components ?? []) as Components).flatMap((row) => row.components.map((each) => each.custom_id ?? ""))

/** Sets a rule as an admin does: opens the panel, chooses what, who and where, and presses a button. */
export const setRule = async (
  emulator: Emulator,
  admin: Actor,
  verb: "allow" | "deny" | "remove",
  capability: string,
  who?: string | { readonly role: string },
  where?: string
) => {
  const opened = await (await admin.command(emulator.channelId, "settings access")).settled()
  const panel = () => admin.ephemerals(emulator.channelId).find(({ id }) => id === opened.id)!
  const control = (id: RegExp) =>
    emulator.waitFor(() => idsOf(panel()).find((each) => id.test(each)), { what: `${id} in the panel` })
  const id = typeof who === "object" ? who.role : who
  const kind = id === undefined ? "e" : `${typeof who === "object" ? "r" : "u"}${id}`
  await admin.select(emulator.channelId, opened.id, await control(/^a1:.*:c$/), [capability])
  if (id !== undefined) {
    await admin.select(emulator.channelId, opened.id, await control(new RegExp(`^a1:${capability}:.*:w$`)), [id])
  }
  const upTo = `a1:${capability}:${kind}`
  if (where !== undefined) {
    await admin.select(emulator.channelId, opened.id, await control(new RegExp(`^${upTo}:.*:p$`)), [where])
  }
  const set = await control(
    new RegExp(`^${upTo}:${where ?? "-"}:\\d+:${{ allow: "y", deny: "n", remove: "x" }[verb]}$`)
  )
  await admin.press(emulator.channelId, opened.id, set)
  await emulator.waitFor(
    () => {
      const exact = new RegExp(`^${upTo}:${where ?? "-"}:\\d+:x$`)
      const said = panel().embeds[0]?.description?.split("\n")[0] ?? ""
      return verb === "remove"
        ? !idsOf(panel()).some((id) => exact.test(id))
        : idsOf(panel()).some((id) => exact.test(id)) && said.includes(verb === "allow" ? "allowed" : "denied")
    },
    { what: `the rule in the panel, which says ${panel().embeds[0]?.description}` }
  )
  return panel()
}
