import { startEmulator } from "@heddle/discord-emulator"

/** The folder of the emulator. */
export const data = process.env["BENCH_FOLDER"] ?? "bench-data"

/** Opens threads in a new emulator and gives their ids; without limits, before Discord's own begin to hold. */
export const openThreads = async (count: number): Promise<ReadonlyArray<string>> => {
  const opening = await startEmulator({ data, limits: "fast" })
  const threads: Array<string> = []
  for (let left = count; left > 0; left--) {
    const response = await fetch(`${opening.api}/v10/channels/${opening.channelId}/threads`, {
      method: "POST",
      headers: { authorization: `Bot ${opening.botToken}`, "content-type": "application/json" },
      body: JSON.stringify({ name: `thread ${left}`, type: 11 })
    })
    if (!response.ok) throw new Error(`a thread could not be opened: ${response.status} ${await response.text()}`)
    threads.push(((await response.json()) as { readonly id: string }).id)
  }
  await opening.close()
  return threads
}
