import { english } from "@heddle/bot/messages/Translations"

/** Commands stand in backticks in the texts, and are mentions where a server knows them. */
const written = (words: string) => words.replaceAll(/<\/([a-z -]+):\d+>/g, "`/$1`")

/**
 * The sign of an attempt's outcome, from the exact words of the bot; unknown words are an error.
 *
 * - `+`: it was done; `done` holds the words for that
 * - `y`: the task belongs to another person
 * - `r`: a rule of the server denies it
 * - `a`: only for admins
 * - `s`: only in servers
 * - `p`: not from private threads
 * - `o`: the owner is not a member
 * - `?`: Discord does not say
 * - `c`: it goes on when the account is connected
 * - `u`: the command or button does not exist
 */
export const outcome = (ownerId: string, words: string, done: ReadonlyArray<RegExp | string> = []): string => {
  const known: ReadonlyArray<readonly [sign: string, words: string]> = [
    ["p", english.onlyInPublic],
    ["o", english.ownerNotMember(ownerId)],
    ["?", english.indeterminate],
    ["y", english.notYours(ownerId)],
    ["y", english.notAllowedToAnswer(ownerId)],
    ["r", english.deniedByRule],
    ["s", english.onlyInServers],
    ["a", english.adminsOnly],
    ["c", english.connectFirst.text],
    ["c", `${english.connectFirst.text}\n${english.connecting.howTo}`],
    ["u", english.commandUnknown],
    ["u", english.buttonUnknown]
  ]
  const said = written(words)
  const found = known.find((each) => each[1] === said)
  if (found !== undefined) return found[0]
  if (done.some((each) => (typeof each === "string" ? each === said : each.test(said)))) return "+"
  throw new Error(`Nobody knows what this means: ${words}`)
}
