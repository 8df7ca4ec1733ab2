import type { Stack } from "./Stack.ts"

type Components = ReadonlyArray<{ readonly components: ReadonlyArray<{ readonly custom_id?: string }> }>

/** Uses the controls of a thread's newest card, waiting for each until the card offers it. */
export const controls = ({ emulator, you }: Pick<Stack, "emulator" | "you">, thread: string) => {
  const find = (id: RegExp) =>
    emulator.waitFor(
      () => {
        const card = emulator.messages(thread).findLast(({ components }) => (components ?? []).length > 0)
        const customId = ((card?.components ?? []) as Components)
          .flatMap((row) => row.components)
          .find((each) => each.custom_id !== undefined && id.test(each.custom_id))?.custom_id
        return card === undefined || customId === undefined ? undefined : { card: card.id, customId }
      },
      { what: `a control ${id}`, timeoutMs: 30_000 }
    )
  const press = async (id: RegExp) => {
    const { card, customId } = await find(id)
    return you.press(thread, card, customId)
  }
  return {
    press,
    choose: async (id: RegExp, ...values: ReadonlyArray<string>) => {
      const { card, customId } = await find(id)
      return you.select(thread, card, customId, values)
    },
    write: async (id: RegExp, text: string) => you.submit(await press(id), { text }),
    /** Waits for private words to the person. */
    waitForPrivateText: (words: RegExp) =>
      emulator.waitFor(() => you.ephemerals(thread).find(({ content }) => words.test(content)), {
        what: String(words),
        timeoutMs: 30_000
      })
  }
}
