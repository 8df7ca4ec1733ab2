import type { Played } from "./Play.ts"
import type { Scenario } from "./Scenario.ts"

/** The promises of the bot that a story breaks; empty for a good one. */
export const brokenPromises = (played: Played, scenario: Scenario): ReadonlyArray<string> => [
  ...repeated(played),
  ...played.turns.flatMap((turn, index) => falseEnds(played, scenario, turn.text, index)),
  ...lostWords(played, scenario),
  ...falseAnswers(played)
]

const count = (text: string, word: string) => text.split(word).length - 1

const runsOf = ({ stack }: Played, text: string) =>
  stack.service.rounds.filter((round) => round.text.includes(text)).length

/** What runs more often than the person sent it, or has more than one end. */
const repeated = (played: Played): ReadonlyArray<string> => {
  const { ends, sends, stack, turns } = played
  const tasks = stack.service.tasks().length
  return [
    ...(tasks > sends ? [`${tasks} tasks of ${sends} creations`] : []),
    ...(ends.length > turns.length ? [`${ends.length} ends of ${turns.length} messages`] : []),
    ...[...new Set(turns.map(({ text }) => text))].flatMap((text) => {
      const sent = turns.filter((turn) => turn.text === text).length + (text.startsWith("m0 ") ? tasks - 1 : 0)
      const runs = runsOf(played, text)
      return runs > sent ? [`${runs} runs of ${sent}: ${text}`] : []
    })
  ]
}

/** What the end of a turn claims against what the service knew then. */
const falseEnds = (
  played: Played,
  { readings, steps }: Scenario,
  text: string,
  index: number
): ReadonlyArray<string> => {
  const end = played.ends[index]
  if (end === undefined) return []
  const known = end.rounds.filter((round) => round.text.includes(text))
  const last = known.at(-1)
  const isDone = end.text.startsWith("-# done")
  const isStopped = /^-# stopped · \d/.test(end.text)
  const isOver = end.text.startsWith("-# ended after the stop request")
  const saysNotSent = /did not reach the agent|did not get (this|your) message|nothing was charged/i.test(end.text)
  const isSentOnce = played.turns.filter((turn) => turn.text === text).length === 1
  const runs = runsOf(played, text)
  // Nothing tells a task at rest from one whose lost question waits; the service may have asked another client alone.
  const asksElsewhere = JSON.stringify(steps).includes("another client writes")
  const mayWait = readings.askStatus === "pending" && (readings.restStatus === "pending" || asksElsewhere)
  const isFalse =
    (isDone && last?.end !== "end_turn") ||
    (isStopped && ((last !== undefined && last.end !== "cancelled") || runs > known.length)) ||
    (isOver && last?.end === undefined) ||
    (saysNotSent && isSentOnce && runs > 0) ||
    (end.text.includes("already running") && !mayWait)
  return isFalse ? [`${text} (${last?.end ?? "open"}, ${runs} runs): ${end.text}`] : []
}

/** Words of the agent that are shown more often than said; or not at all, where the service replays them. */
const lostWords = ({ said, stack, thread }: Played, { readings }: Scenario): ReadonlyArray<string> => {
  const shown = stack.emulator.transcript(thread)
  const repeatsAll = readings.replay !== "none" && readings.replayedPrompts !== "newestOnly"
  return [...new Set(said)].flatMap((word) => {
    // "cancelled0z" ends as "d0z" does.
    const times = shown.split(new RegExp(`\\b${word}\\.`)).length - 1
    const saidTimes = said.filter((each) => each === word).length
    const isWrong = times > saidTimes || (times < saidTimes && repeatsAll)
    return isWrong ? [`${word} is shown ${times} times, and was said ${saidTimes} times`] : []
  })
}

/** Cards that say "Allowed" against the answers that the service took. */
const falseAnswers = ({ stack, thread }: Played): ReadonlyArray<string> => {
  const allowed = count(stack.emulator.transcript(thread), "✅ Allowed")
  const taken = stack.service.answers.filter(
    ({ accepted, answer }) => accepted && JSON.stringify(answer).includes('"optionId":"allow"')
  ).length
  return allowed > taken ? [`${allowed} are shown as allowed, and ${taken} were taken`] : []
}
