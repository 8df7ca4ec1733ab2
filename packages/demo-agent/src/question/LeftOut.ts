import type { Table } from "../data/Table.ts"
import * as Language from "../format/Language.ts"
import * as Markdown from "../format/Markdown.ts"
import { wordsOf } from "../format/Words.ts"
import { matchName } from "./ColumnMatch.ts"
import { usedColumns, type ParsedRequest, type Subject } from "./Intent.ts"

/** The request with a note that names its words that have no part in the answer. */
export const withLeftOutNote = (text: string, request: ParsedRequest, subject: Subject): ParsedRequest => {
  const phrases = request.intent.kind === "cannot" ? [] : leftOutPhrases(text, request, subject)
  if (phrases.length === 0) return request
  const quoted = phrases.slice(0, MAX_PHRASES).map((phrase) => `“${Markdown.escapeText(phrase, 60)}”`)
  return {
    ...request,
    notes: [
      ...request.notes,
      Language.text(
        `I left out ${Markdown.joinWords(quoted)}: I did not understand it.`,
        `${Markdown.joinWords(quoted)}我没有看懂，所以略去了。`
      )
    ]
  }
}

const MAX_PHRASES = 4

/** The words that are neither common, nor name a column, value or file in use, each run with its preposition. */
const leftOutPhrases = (text: string, request: ParsedRequest, subject: Subject): ReadonlyArray<string> => {
  const names = subject.kind === "table" ? usedNames(request, subject.table) : []
  const values = request.filters.flatMap(({ any }) => any.flatMap((condition) => condition.values))
  const { name } = subject.kind === "table" ? subject.table : subject
  const known = new Set([name, ...values, ...(subject.kind === "table" ? [] : [TEXT_WORDS])].flatMap(wordsOf))
  const isKnown = (word: string): boolean =>
    /^\p{N}/u.test(word) || COMMON.has(word) || known.has(word) || matchName(names, word) !== undefined
  const phrases: Array<string> = []
  let run: Array<string> = []
  let preposition: Array<string> = []
  for (const token of [...(text.match(TOKEN) ?? []), ""]) {
    if (token !== "" && !wordsOf(token).every(isKnown)) run.push(...(run.length === 0 ? preposition : []), token)
    else if (run.length > 0) {
      phrases.push(run.join(" "))
      run = []
    }
    // The prepositions of a Chinese request are not the person's words.
    preposition = PREPOSITION.test(token) && Language.now() === "english" ? [token] : []
  }
  return phrases
}

/** The names of the columns that a request uses, or mentions in a note. */
const usedNames = (request: ParsedRequest, table: Table): ReadonlyArray<string> => {
  const intents = [request.intent, ...(request.otherIntents ?? [])]
  const indexes = intents.flatMap(usedColumns)
  const filtered = request.filters.flatMap(({ any }) => any.map(({ column }) => column))
  const notes = request.notes.join("\n")
  return table.columns
    .filter(({ name }, i) => indexes.includes(i) || filtered.includes(name) || notes.includes(Markdown.bold(name)))
    .map(({ name }) => name)
}

const TOKEN = /[\p{L}\p{N}_]+/gu
const PREPOSITION = /^(?:by|in|for|with|per|to|of|from|on|as|without)$/i
const COMMON = new Set(
  (
    "a an the this that these those it its their them they me my our ours we i you your us he she s t m re ll ve d x " +
    "is are was were be been do does did have has had can could would will shall should may might must let lets please " +
    "what which who how many much when where why here there whose want need like see know think ask " +
    "of for to with in on at from by per over across and or und oder not no than as into between against vs versus each every within during about " +
    "show give list get find print display tell say make create draw plot chart charts graph graphs visualize visualise histogram distribution " +
    "scatter scatterplot diagram bar bars line lines pie donut doughnut picture image png column columns field fields header headers schema row rows " +
    "entry entries record records item items data file files attached attachment table tables sheet dataset csv tsv json markdown text document values value number numbers " +
    "count counts total totals sum sums average averages averaged mean avg median minimum min maximum max lowest highest top bottom largest biggest greatest smallest " +
    "most least expensive cheapest latest newest earliest oldest worst best first last only just filter filters filtered keep restrict limit " +
    "exclude leave out drop remove hide except but exist different distinct unique calculate compute describe explain details detail " +
    "statistics statistic stats outlier outliers duplicate duplicates missing gap gaps null nulls empty blank known present shape structure paths keys " +
    "day days daily week weeks weekly month months monthly quarter quarters quarterly year years yearly annually weekday weekdays time times date dates " +
    "now again then also too so all any some summarise summarize summary summaries overview analyse analyze analysis look explore report inspect read check profile " +
    "content contents everything new one ones other ok okay thanks thank hi hello hey group grouped grouping sort sorted order ordered rank ranked arrange ascending asc descending desc high low large small big old name names whole full entire quick short brief " +
    "complete detailed closer deeper deep general basic simple rough statistical further another " +
    "equal equals above over below under after before until since up greater more less smaller lower fewer earlier larger bigger higher later " +
    "contain contains containing include includes including start starts starting begin begins reset back use take clear without start sample head both figure figures " +
    "anything something interesting useful good bad going really exactly inside back instead compare compared trend trends over time"
  ).split(" ")
)
/** What a request about a text is made of, too. */
const TEXT_WORDS =
  "heading headings outline section sections toc chapter chapters link links url urls word words frequent common used keyword keywords long length " +
  "character characters sentence sentences paragraph paragraphs article page note notes todo todos checklist checklists box boxes checkbox checkboxes " +
  "task tasks point points question questions open unchecked unfinished outstanding left remaining pending yet still done checked finished completed complete closed path key"
