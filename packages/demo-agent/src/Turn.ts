import type { ContentBlock, StopReason } from "@agentclientprotocol/sdk"
import { randomUUID } from "node:crypto"
import { renderChart, type ChartImage } from "./ChartImage.ts"
import { examplesFor, readData, subjectOf, type Data } from "./DataFile.ts"
import { describeFilters } from "./Filter.ts"
import * as Markdown from "./Markdown.ts"
import { nameOf, readPrompt, type Attachment, type ReadPrompt } from "./Prompt.ts"
import { planText, reportOf } from "./Report.ts"
import { understand, type Understood } from "./Request.ts"
import { saveSession, type SessionState } from "./SessionState.ts"
import type { ToolCall, Voice } from "./Voice.ts"
import { asCharted, nextFilters, workOn, type Work } from "./Work.ts"
import { writeArtifacts } from "./WriteArtifacts.ts"
import { keepData, readLinked, readNamed, Unreadable } from "./Workspace.ts"

/** A session while its process runs. */
export interface LiveSession {
  readonly state: SessionState
  readonly cwd: string
  /** The data of the session once it was read in this process. */
  data: Data | undefined
}

/** Answers one prompt: reads, works, says, asks, writes, sums up. */
export const runTurn = async (
  session: LiveSession,
  prompt: ReadonlyArray<ContentBlock>,
  voice: Voice,
  signal: AbortSignal
): Promise<StopReason> => {
  const turn = new Turn(session, readPrompt(prompt), voice, signal)
  try {
    await turn.run()
    return signal.aborted ? "cancelled" : "end_turn"
  } catch (error) {
    if (signal.aborted) {
      await turn.abandon("stopped by you")
      return "cancelled"
    }
    if (error instanceof Unreadable) {
      await turn.abandon(error.message)
      // The step at hand was not done, but what is said about it is the answer.
      await voice.skip()
      await voice.say(`${error.message}${turn.stillThere()}\n`)
      await voice.advance(true)
      return "end_turn"
    }
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    await turn.abandon("it went wrong")
    await voice.skip(true)
    await voice.say(
      "Something went wrong in my own work, so this question has no complete answer. Your data is unchanged; please ask again or ask differently.\n"
    )
    return "end_turn"
  }
}

/** Data of this prompt under its name for people and its file in the working directory. */
interface GivenData extends Attachment {
  readonly file: string
}

const HISTORY_TEXT = 64 * 1024

class Turn {
  readonly #session: LiveSession
  readonly #prompt: ReadPrompt
  readonly #voice: Voice
  readonly #signal: AbortSignal
  #tool: ToolCall | undefined

  constructor(session: LiveSession, prompt: ReadPrompt, voice: Voice, signal: AbortSignal) {
    this.#session = session
    this.#prompt = prompt
    this.#voice = voice
    this.#signal = signal
  }

  async run(): Promise<void> {
    const { state, cwd } = this.#session
    state.turns++
    const messageId = randomUUID()
    const { request } = this.#prompt
    state.history.push({
      type: "user",
      messageId,
      text: request.length > HISTORY_TEXT ? `${request.slice(0, HISTORY_TEXT)}…` : request
    })
    await saveSession(cwd, state)
    const given = await this.#newData(messageId)
    for (const note of this.#prompt.notes) await this.#voice.say(`${note}\n`)
    if (given === undefined && state.data === null) return this.#voice.say(NEEDS_DATA)
    const reading = given !== undefined || this.#session.data === undefined
    const name = given?.name ?? state.data?.name ?? ""
    if (reading) await this.#voice.plan([`Read ${Markdown.cell(name, 60)}`, "Answer"])
    const data = reading ? await this.#read(given) : this.#session.data
    if (data === undefined) return
    this.#signal.throwIfAborted()
    const understood = asCharted(
      understand(request, subjectOf(data), given !== undefined),
      given === undefined ? state.lastChart : null
    )
    const { intent } = understood
    if (intent.do !== "help" && intent.do !== "cannot") return this.#answer(data, understood, reading)
    await this.#voice.advance()
    await ("why" in intent ? this.#cannot(data, intent.why) : this.#help(data))
    await this.#voice.advance(true)
  }

  /** Ends a tool call that is under way, so that no client shows it running for ever. */
  async abandon(why: string): Promise<void> {
    const tool = this.#tool
    this.#tool = undefined
    if (tool !== undefined) await this.#voice.moveTool(tool, "failed", why)
  }

  stillThere(): string {
    const { data } = this.#session.state
    return data === null ? "" : ` I still have ${Markdown.bold(data.name)} from before.`
  }

  /** The data that came with this prompt, kept in the working directory; the first one when there are several. */
  async #newData(messageId: string): Promise<GivenData | undefined> {
    const { state, cwd } = this.#session
    const all: Array<Attachment> = [...this.#prompt.attachments]
    for (const link of this.#prompt.links) all.push(await readLinked(cwd, link.uri))
    if (all.length === 0) {
      const mentioned = await this.#mentioned()
      if (mentioned !== undefined) all.push(mentioned)
    }
    const [first, ...others] = all
    if (first === undefined) return undefined
    const names: Array<string> = []
    for (const attachment of all) {
      const kept = await keepData(cwd, attachment, fallbackName(attachment))
      names.push(kept)
      state.history.push({ type: "user_file", messageId, name: kept })
    }
    const file = names[0] ?? ""
    const name = first.name === "" ? "the pasted data" : nameOf(first.name)
    if (others.length > 0) {
      const rest = names.slice(1).map((name) => Markdown.bold(name))
      await this.#voice.say(
        `I look at one file at a time and start with ${Markdown.bold(name)}. Say the name of another to go on with it: ${Markdown.list(rest)}.\n`
      )
    }
    return { name, file, mimeType: first.mimeType, bytes: first.bytes }
  }

  /** A file of the working directory that the request names. */
  async #mentioned(): Promise<Attachment | undefined> {
    const found = /(?:^|[\s"'“`(])([\p{L}\p{N}_.-]{1,80}\.(?:csv|tsv|tab|jsonl?|ndjson|md|markdown|txt|log))\b/iu.exec(
      this.#prompt.request.slice(0, 2000)
    )?.[1]
    if (found === undefined || found === this.#session.state.data?.file) return undefined
    const bytes = await readNamed(this.#session.cwd, found)
    return bytes === undefined ? undefined : { name: found, bytes }
  }

  async #read(given: GivenData | undefined): Promise<Data> {
    const { state, cwd } = this.#session
    const file = given?.file ?? state.data?.file ?? ""
    const name = given?.name ?? state.data?.name ?? file
    this.#tool = await this.#voice.startTool("read", `Read ${name}`, { file }, [file])
    await this.#voice.moveTool(this.#tool, "in_progress")
    const bytes = given?.bytes ?? (await readNamed(cwd, file))
    if (bytes === undefined)
      throw new Unreadable(`The file ${Markdown.bold(file)} is no longer in my working directory. Send it again.`)
    const mimeType = given === undefined ? state.data?.mimeType : given.mimeType
    const data = await readData(bytes, name, mimeType, this.#signal)
    if (given !== undefined) {
      state.data = { file, name, mimeType }
      state.filters = []
    }
    this.#session.data = data
    await this.#finish(this.#tool, `${Markdown.size(bytes.length)} read: ${whatIs(data)}.`)
    return data
  }

  async #finish(tool: ToolCall, text: string): Promise<void> {
    await this.#voice.moveTool(tool, "completed", text)
    this.#tool = undefined
  }

  async #answer(data: Data, understood: Understood, reading: boolean): Promise<void> {
    const { state } = this.#session
    const draws = understood.intent.do === "look" || understood.intent.do === "chart"
    const steps = [
      ...(reading ? [`Read ${Markdown.cell(data.name, 60)}`] : []),
      workStep(understood),
      ...(draws ? ["Draw a chart", "Write the report and the chart"] : []),
      "Sum up"
    ]
    await this.#voice.plan(steps, reading ? 1 : 0)
    await this.#pushPlan(steps)
    const { filters, note } = nextFilters(state.filters, understood)
    state.filters = filters.map((filter) => ({
      any: filter.any.map((condition) => ({ ...condition, values: [...condition.values] }))
    }))
    const analyse = await this.#voice.startTool("think", workStep(understood), {
      question: this.#prompt.request.slice(0, 300),
      filters: describeFilters(filters)
    })
    this.#tool = analyse
    await this.#voice.moveTool(analyse, "in_progress")
    const work = await workOn(data, understood, filters, this.#signal)
    await this.#finish(analyse, work.summary)
    const notes = [...understood.notes, ...(note === undefined ? [] : [note])]
    if (notes.length > 0) await this.#voice.say(`${notes.join("\n")}\n`)
    for (const message of work.messages) await this.#voice.say(`${message}\n`)
    await this.#voice.advance()
    const written = draws ? await this.#drawAndWrite(understood, work) : ""
    const found = [work.summary, written].filter((part) => part !== "").join(" ")
    const next = this.#next(data, understood)
    await this.#voice.say(`${found}${next === "" ? "" : ` ${next}`}\n`)
    await this.#voice.advance(true)
    const told = understood.intent.do === "look" ? [found, ...work.gist] : [...work.gist, found]
    await this.#pushOverview([...notes, ...told].join("\n\n"))
  }

  /** How to go on; while a filter holds, always with the words that lift it. */
  #next(data: Data, understood: Understood): string {
    const isFiltered = this.#session.state.filters.length > 0
    const { intent } = understood
    if (intent.do === "look" || (intent.do === "rows" && isFiltered))
      return `You can go on with ${this.#examples(data)}.`
    return isFiltered ? "Say “all rows” to lift the filter." : ""
  }

  #examples(data: Data): string {
    const isFiltered = this.#session.state.filters.length > 0
    const examples = examplesFor(data).filter((example) => !isFiltered || !example.startsWith("“only rows"))
    return Markdown.list([...examples, ...(isFiltered ? ["“all rows” to lift the filter"] : [])], "or")
  }

  /** Draws the chart, asks whether the files may be written, writes them, and says in a sentence what became of it. */
  async #drawAndWrite(understood: Understood, work: Work): Promise<string> {
    const { state } = this.#session
    let image: ChartImage | undefined
    let file: string | null = null
    state.lastChart =
      understood.intent.do === "chart" && understood.intent.plan !== undefined
        ? understood.intent.plan
        : (work.plan ?? null)
    if (work.chart !== undefined) {
      if (understood.intent.do === "look")
        await this.#voice.think(`“${work.chart.title}” should say most at a glance.\n`)
      const draw = await this.#voice.startTool("execute", `Draw “${work.chart.title}”`, {
        title: work.chart.title,
        subtitle: work.chart.subtitle
      })
      this.#tool = draw
      await this.#voice.moveTool(draw, "in_progress")
      image = await renderChart(work.chart, this.#signal)
      await this.#finish(draw, `${image.width} × ${image.height} pixels, ${Markdown.size(image.png.length)}.`)
      file = `${freeName(work.chart.slug, state.charts)}.png`
      await this.#voice.advance()
    } else {
      if (work.noChart !== undefined) await this.#voice.say(`${work.noChart}\n`)
      await this.#voice.skip()
      if (understood.intent.do === "chart") {
        await this.#voice.skip()
        return "Nothing was written."
      }
    }
    const title = Markdown.cell(this.#prompt.request === "" ? "Overview" : this.#prompt.request, 80)
    const section = { title, text: [...work.messages, work.summary].join("\n\n"), image: file }
    const report = reportOf({ ...state, sections: [...state.sections, section] })
    const outcome = await writeArtifacts(
      this.#session.cwd,
      { report, chart: file === null || image === undefined ? undefined : { file, image } },
      this.#voice,
      this.#signal
    )
    await (outcome.left === undefined ? this.#voice.advance() : this.#voice.leave(outcome.left))
    if (outcome.left === undefined) {
      state.sections.push(section)
      if (file !== null) state.charts.push(file)
    }
    return outcome.sentence
  }

  async #pushPlan(steps: ReadonlyArray<string>): Promise<void> {
    const { state } = this.#session
    const now = Date.now()
    const text = planText(this.#prompt.request, steps)
    const first = state.planCreatedAt === 0
    if (first) state.planCreatedAt = now
    await this.#voice.artifact(first ? "created" : "updated", {
      type: "plan",
      uri: `agent:///artifacts/${state.sessionId}/plan`,
      name: "plan.md",
      title: "Plan",
      text,
      version: ++state.planVersion,
      ...(first ? {} : { previousText: state.planText }),
      enableEdit: false,
      mimeType: "text/markdown",
      createdAt: state.planCreatedAt,
      updatedAt: now
    })
    state.planText = text
  }

  async #pushOverview(text: string): Promise<void> {
    const { state } = this.#session
    const now = Date.now()
    const first = state.overviewCreatedAt === 0
    if (first) state.overviewCreatedAt = now
    await this.#voice.artifact(first ? "created" : "updated", {
      type: "overview",
      uri: `agent:///artifacts/${state.sessionId}/overview`,
      name: "overview.md",
      title: "Summary",
      text,
      mimeType: "text/markdown",
      createdAt: state.overviewCreatedAt,
      updatedAt: now
    })
  }

  async #cannot(data: Data, why: string): Promise<void> {
    await this.#voice.say(
      `${why} I work by rules, without a language model.\nOn ${Markdown.bold(data.name)} you can say for example ${this.#examples(data)}.\n`
    )
  }

  async #help(data: Data): Promise<void> {
    const table =
      "- a full look: “summarise”\n- pick rows: “only rows where … is …”, “exclude …”, “all rows”\n- charts: “chart … by month”, “histogram of …”, “chart … vs …”\n" +
      "- figures: “average … by …”, “top 10 by …”, “how many rows”, “describe …”, “outliers”, “missing values”\n- “now as a table”, “list columns”"
    const text =
      "- a full look: “summarise”\n- “headings”, “links”, “open items”, “done items”, “word count”, “frequent words”\n- “chart the most frequent words”"
    await this.#voice.say(
      `On ${Markdown.bold(data.name)} I can do this:\n${data.kind === "table" ? table : data.kind === "prose" ? text : "- “shape”: its paths and types\n- a full look: “summarise”"}\n`
    )
  }
}

const NEEDS_DATA =
  "I work on data you give me, and I have none yet. Attach a CSV, JSON, Markdown or text file, or paste its content below your question.\n" +
  "Then ask for example “what is in this file?”, “only rows where region is EU” or “chart price by month”.\n"

const workStep = (understood: Understood): string => {
  switch (understood.intent.do) {
    case "look":
      return "Work out what is in it"
    case "chart":
      return "Work out the figures for the chart"
    case "rows":
      return understood.reset ? "Drop the filters" : "Pick the rows"
    default:
      return "Work out the answer"
  }
}

const whatIs = (data: Data): string => {
  if (data.kind === "table")
    return `${Markdown.plural(data.table.rowCount, "row")}, ${Markdown.plural(data.table.columns.length, "column")}`
  return data.kind === "json"
    ? Markdown.plural(data.json.shape.length, "path")
    : Markdown.plural(data.prose.words, "word")
}

const fallbackName = (attachment: Attachment): string => {
  const endings = new Map([
    ["text/csv", "csv"],
    ["text/tab-separated-values", "tsv"],
    ["application/json", "json"],
    ["text/markdown", "md"]
  ])
  return `pasted.${endings.get(attachment.mimeType ?? "") ?? "txt"}`
}

const freeName = (slug: string, taken: ReadonlyArray<string>): string => {
  for (let n = 1; ; n++) {
    const name = n === 1 ? slug : `${slug}-${n}`
    if (!taken.includes(`${name}.png`)) return name
  }
}
