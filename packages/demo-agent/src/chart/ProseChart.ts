import * as Language from "../format/Language.ts"
import type { Group } from "../data/Aggregation.ts"
import type { Prose } from "../data/Prose.ts"
import { barChart } from "./BarChart.ts"
import type { Chart } from "./Chart.ts"

/** Draws the sections of a text by length, or its most frequent words; `undefined` when there are neither. */
export const proseChart = (prose: Prose, frequentWords: boolean): Chart | undefined => {
  const sections = prose.headings.filter((heading) => heading.words > 0)
  if (!frequentWords && sections.length >= 2) {
    const groups = sections.map(({ text, words }, key) => ({ label: text, key, rows: 1, value: words }))
    const chart = barChart(numberRepeats(groups), {
      largestFirst: false,
      title: "Words by section",
      valueAxisTitle: "Words",
      groupAxisTitle: "Section"
    })
    return { ...chart, caption: Language.text(chart.title, "各节的词数") }
  }
  if (prose.frequentWords.length < 2) return undefined
  const groups = prose.frequentWords.map(([label, value], key) => ({ label, key, rows: value, value }))
  const chart = barChart(groups, {
    largestFirst: true,
    title: "Most frequent words",
    valueAxisTitle: "Times",
    groupAxisTitle: "Word"
  })
  return { ...chart, caption: Language.text(chart.title, "高频词") }
}

/** Tells groups of the same label apart by a number. */
const numberRepeats = (groups: ReadonlyArray<Group>): ReadonlyArray<Group> => {
  const timesByLabel = new Map<string, number>()
  return groups.map((group) => {
    const times = (timesByLabel.get(group.label) ?? 0) + 1
    timesByLabel.set(group.label, times)
    return times === 1 ? group : { ...group, label: `${group.label} (${times})` }
  })
}
