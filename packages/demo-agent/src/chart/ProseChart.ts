import * as Language from "../format/Language.ts"
import type { Prose } from "../data/Prose.ts"
import { barChart, type BarGroup } from "./BarChart.ts"
import type { Chart } from "./Chart.ts"

/** Draws the sections of a text by length, or its most frequent words; `undefined` when there are neither. */
export const proseChart = (prose: Prose, frequentWords: boolean): Chart | undefined => {
  const sections = prose.headings.filter((heading) => heading.words > 0)
  if (!frequentWords && sections.length >= 2) {
    const groups = sections.map(({ text, words }) => ({ label: text, value: words }))
    return barChart(numberRepeats(groups), {
      largestFirst: false,
      titleOf: () => Language.text("Words by section", "各节的词数"),
      valueAxisTitle: Language.text("Words", "词数"),
      groupAxisTitle: Language.text("Section", "节")
    })
  }
  if (prose.frequentWords.length < 2) return undefined
  const groups = prose.frequentWords.map(([label, value]) => ({ label, value }))
  return barChart(groups, {
    largestFirst: true,
    titleOf: () => Language.text("Most frequent words", "高频词"),
    valueAxisTitle: Language.text("Times", "次数"),
    groupAxisTitle: Language.text("Word", "词")
  })
}

/** Tells groups of the same label apart by a number. */
const numberRepeats = (groups: ReadonlyArray<BarGroup>): ReadonlyArray<BarGroup> => {
  const timesByLabel = new Map<string, number>()
  return groups.map((group) => {
    const times = (timesByLabel.get(group.label) ?? 0) + 1
    timesByLabel.set(group.label, times)
    return times === 1 ? group : { ...group, label: `${group.label} (${times})` }
  })
}
