import type { Emulator } from "@heddle/discord-emulator"
import { createHash } from "node:crypto"
import { isDoubt } from "./Doubts.ts"
import type { SessionService } from "./SessionService.ts"

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

/** What was shown and told at the end of a session. */
export interface Snapshot {
  readonly posts: ReadonlyArray<string>
  /** The posts that tell of something that is not known. */
  readonly doubts: ReadonlyArray<string>
}

/** What was shown and told, without what may differ: ids, times, and where something was read late. */
export const settledSnapshot = async (
  emulator: Emulator,
  service: SessionService,
  { alpha, beta }: Threads
): Promise<Snapshot> => {
  await Promise.all([emulator.quiet(alpha, 300), emulator.quiet(beta, 300)])
  const channels = [emulator.channelId, ...emulator.threads().map(({ id }) => id)]
  const shown = (await Promise.all(channels.map((id) => channelSnapshot(emulator, id)))).flat()
  // No service repeats which answers it took: one that a kill keeps from being noted is in doubt everywhere.
  const isUnknown = ({ inDoubt, post }: (typeof shown)[number]) =>
    inDoubt && (service.leavesDoubts || unconfirmedAnswer.test(post))
  const told = emulator
    .user()
    .ephemerals(emulator.channelId)
    .filter(({ content }) => /Your task is running/.test(content))
  return {
    posts: [
      ...shown.filter((post) => !isUnknown(post)).map(({ post }) => post),
      `told of the start: ${told.length}`,
      `tasks: ${JSON.stringify(service.tasks().toSorted())}`,
      `prompts: ${JSON.stringify(service.prompts().toSorted())}`,
      `answers: ${JSON.stringify(service.answers())}`
    ],
    doubts: shown.filter(isUnknown).map(({ post }) => post)
  }
}

const channelSnapshot = async (emulator: Emulator, channelId: string) => {
  const messages = emulator.messages(channelId).filter(({ content }) => !isAway(content))
  const posts = await Promise.all(
    messages.map(async (message) => ({ post: withoutChanging(await postSnapshot(message)), inDoubt: isDoubt(message) }))
  )
  const thread = emulator.threads().find(({ id }) => id === channelId)
  const { archived, locked, name } = thread ?? { archived: false, locked: false, name: "(the channel)" }
  const heading = `${name}${archived ? ", archived" : ""}${locked ? ", locked" : ""}`
  return [{ post: heading, inDoubt: false }, ...posts]
}

const postSnapshot = async (message: ReturnType<Emulator["messages"]>[number]) => {
  const { attachments, author, components, content, embeds, message_reference, type } = message
  const files = await Promise.all(attachments.map(async ({ filename, url }) => `${filename} ${await digestOf(url)}`))
  const boxes = await Promise.all(
    embeds.map(async ({ color, description, footer, image, title }) =>
      [title, description, color, footer?.text, image === undefined ? "" : await digestOf(image.url)].join(" | ")
    )
  )
  const reply = message_reference === undefined ? [] : ["(a reply)"]
  const controls = (components ?? []).length === 0 ? [] : [JSON.stringify(components)]
  return [`${author.username} (${type}): ${content}`, ...reply, ...boxes, ...files, ...controls].join("\n    ")
}

const withoutChanging = (post: string): string =>
  post
    .replaceAll(/\d{17,19}/g, "<id>")
    .replaceAll(/-\d{4}-\d\d-\d\d-\d{4}\.md/g, "-<date>.md")
    .replaceAll(/<t:\d+:\w>/g, "<time>")
    .replaceAll(/(done|stopped) · [\d.]+ \w+( [\d.]+ \w+)?/g, "$1 · <duration>")

const digestOf = async (url: string): Promise<string> =>
  createHash("sha256")
    .update(new Uint8Array(await (await fetch(url)).arrayBuffer()))
    .digest("hex")
    .slice(0, 12)

/**
 * Where two snapshots begin to differ. An answer that may be lost has no other card. A message that is sent once more is
 * answered after those that came later.
 */
export const difference = (expected: Snapshot, actual: Snapshot): string | undefined => {
  const unsettled = actual.doubts.flatMap((post) => unconfirmedAnswer.exec(post)?.slice(1) ?? [])
  const isSettled = (post: string) =>
    unsettled.some((title) => /✅ (Allowed|Answered): /.test(post) && post.includes(title))
  const lines = (posts: ReadonlyArray<string>) => {
    const compared = posts.filter((post) => !isSettled(post))
    const isLate = actual.doubts.some((post) => post.includes("whether the agent got this message"))
    return (isLate ? compared.map(withoutReply).toSorted() : compared).join("\n").split("\n")
  }
  const [wanted, found] = [lines(expected.posts), lines(actual.posts)]
  const at = Array.from({ length: Math.max(wanted.length, found.length) }).findIndex(
    (_, index) => wanted[index] !== found[index]
  )
  if (at === -1) return undefined
  const around = (all: ReadonlyArray<string>) => all.slice(Math.max(0, at - 3), at + 6)
  return [...around(wanted), "--- but it was", ...around(found), "--- and", ...actual.doubts].join("\n")
}

const unconfirmedAnswer = /⚠️ Answer not confirmed: ([^|]*) \|/

const withoutReply = (post: string): string => post.replace(" (19): ", " (0): ").replaceAll("\n    (a reply)", "")
