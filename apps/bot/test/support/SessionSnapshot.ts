import type { Emulator } from "@heddle/discord-emulator"
import { createHash } from "node:crypto"
import type { startFakeService } from "./FakeService.ts"

type FakeService = Awaited<ReturnType<typeof startFakeService>>

/** The threads of a session. */
export interface Threads {
  readonly alpha: string
  readonly beta: string
}

/** The notice of late reading comes at most once for each absence, and not twice in a row. */
export const checkAway = (emulator: Emulator, thread: string, absences: number): void => {
  const told = emulator.messages(thread).map(({ content }) => isAway(content))
  const times = told.filter(Boolean).length
  const inRow = told.some((away, at) => away && told[at - 1] === true)
  if (times === 0 || times > absences || inRow) {
    throw new Error(`"I was away" is told ${times} times for ${absences} absences:\n${emulator.transcript(thread)}`)
  }
}

const isAway = (content: string): boolean => content.includes("I was away")

/** What was shown and told, without what may differ: ids, times, and where something was read late. */
export const settledSnapshot = async (
  emulator: Emulator,
  service: FakeService,
  { alpha, beta }: Threads
): Promise<string> => {
  await Promise.all([emulator.quiet(alpha, 300), emulator.quiet(beta, 300)])
  const channels = [emulator.channelId, ...emulator.threads().map(({ id }) => id)]
  const shown = await Promise.all(channels.map((id) => channelSnapshot(emulator, id)))
  const tasks = [...service.tasks.values()].map(({ prompt }) => prompt)
  const told = emulator
    .user()
    .ephemerals(emulator.channelId)
    .filter(({ content }) => /Your task is running/.test(content))
  return [
    ...shown,
    `told of the start: ${told.length}`,
    `tasks: ${JSON.stringify(tasks.toSorted())}`,
    `prompts: ${JSON.stringify([...service.prompts].toSorted())}`,
    `answers: ${JSON.stringify(service.answers)}`
  ].join("\n\n")
}

const channelSnapshot = async (emulator: Emulator, channelId: string): Promise<string> => {
  const messages = emulator.messages(channelId).filter(({ content }) => !isAway(content))
  const parts = await Promise.all(
    messages.map(async ({ attachments, author, components, content, embeds, message_reference, type }) => {
      const files = await Promise.all(
        attachments.map(async ({ filename, url }) => `${filename} ${await digestOf(url)}`)
      )
      const boxes = await Promise.all(
        embeds.map(async ({ color, description, footer, image, title }) =>
          [title, description, color, footer?.text, image === undefined ? "" : await digestOf(image.url)].join(" | ")
        )
      )
      const reply = message_reference === undefined ? [] : ["(a reply)"]
      const controls = (components ?? []).length === 0 ? [] : [JSON.stringify(components)]
      return [`${author.username} (${type}): ${content}`, ...reply, ...boxes, ...files, ...controls].join("\n    ")
    })
  )
  const thread = emulator.threads().find(({ id }) => id === channelId)
  const { archived, locked, name } = thread ?? { archived: false, locked: false, name: "(the channel)" }
  return [`${name}${archived ? ", archived" : ""}${locked ? ", locked" : ""}`, ...parts]
    .join("\n")
    .replaceAll(/\d{17,19}/g, "<id>")
    .replaceAll(/-\d{4}-\d\d-\d\d-\d{4}\.md/g, "-<date>.md")
    .replaceAll(/<t:\d+:\w>/g, "<time>")
    .replaceAll(/(done|stopped) · [\d.]+ \w+( [\d.]+ \w+)?/g, "$1 · <duration>")
}

const digestOf = async (url: string): Promise<string> =>
  createHash("sha256")
    .update(new Uint8Array(await (await fetch(url)).arrayBuffer()))
    .digest("hex")
    .slice(0, 12)
