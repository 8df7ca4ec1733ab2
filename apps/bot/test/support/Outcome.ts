import { english } from "@heddle/bot/messages/Translations"

/** Commands stand in backticks in the texts, and are mentions where a server knows them. */
const written = (words: string) => words.replaceAll(/<\/([a-z -]+):\d+>/g, "`/$1`")

/**
 * What became of an attempt, by words that are known exactly; any other words are an error. `y` the task is another's,
 * `r` ruled out by the server, `a` for admins, `s` in servers, `p` not from private threads, `o` the owner is not there,
 * `?` Discord does not tell, `c` it goes on when their account is connected, `u` there is no such thing (any more).
 * `done`: what is said when it was done (`+`).
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
