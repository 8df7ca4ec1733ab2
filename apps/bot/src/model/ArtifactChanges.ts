import type * as Artifact from "@heddle/artifacts/Artifact"
import type { ArtifactEntry } from "@heddle/artifacts/ArtifactEntry"
import * as ArtifactIndex from "@heddle/artifacts/ArtifactIndex"
import * as PlanDiff from "@heddle/artifacts/PlanDiff"
import * as TaskProgress from "@heddle/artifacts/TaskProgress"
import * as HashMap from "effect/HashMap"
import * as Schema from "effect/Schema"
import type { FileRef } from "./Post.ts"
import { ArtifactContent, byCreation, fileVersion, type ArtifactCard, type Media } from "./ArtifactCard.ts"

/** The changes of a thread's cards. */
export interface CardChanges {
  /** New or changed cards, in the order of creation. */
  readonly cards: ReadonlyArray<ArtifactCard>
  /** New texts of plans. */
  readonly plans: ReadonlyArray<PlanText>
}

/** A plan's text, and its previous text if the notification contains it. */
export interface PlanText {
  readonly uri: string
  readonly version: number | undefined
  readonly text: string
  readonly previousText: string | undefined
}

/** The time of an update. After the turn's end, cards do not wait for further data. */
export interface UpdateTime {
  readonly turnId: string
  readonly isTurnOver: boolean
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * Whether an entry can be shown. A file waits for its hash, which detects duplicates, until a list shows that there is
 * none or the turn is over.
 */
export const isShowable = (
  { artifact: { type, uri }, md5 }: ArtifactEntry,
  index: ArtifactIndex.ArtifactIndex,
  { isTurnOver }: Pick<UpdateTime, "isTurnOver">
): boolean => isTurnOver || type !== "media" || md5 !== undefined || ArtifactIndex.isListed(index, uri)

/** The cards whose artifacts no longer exist. */
export const deletedCards = (
  cards: ReadonlyArray<ArtifactCard>,
  index: ArtifactIndex.ArtifactIndex
): ReadonlyArray<ArtifactCard> =>
  cards.filter(
    ({ deleted, uri }) =>
      !deleted && ArtifactIndex.get(index, uri) === undefined && (index.complete || HashMap.has(index.known, uri))
  )

/** Computes the changes by entries and deletions; repeated entries change nothing. */
export const computeChanges = (
  existing: ReadonlyArray<ArtifactCard>,
  entries: ReadonlyArray<ArtifactEntry>,
  deleted: ReadonlyArray<ArtifactCard>,
  { now, turnId }: Pick<UpdateTime, "now" | "turnId">
): CardChanges => {
  const existingByUri = new Map(existing.map((card) => [card.uri, card]))
  const updatedByUri = new Map(existingByUri)
  let number = Math.max(0, ...existing.map((card) => card.number))
  for (const card of deleted) updatedByUri.set(card.uri, { ...card, deleted: true })
  for (const entry of entries.toSorted(ArtifactIndex.byCreation)) {
    const { uri } = entry.artifact
    const existing = existingByUri.get(uri)
    updatedByUri.set(uri, {
      uri,
      number: existing?.number ?? ++number,
      createdAt: existing?.createdAt ?? createdAt(entry) ?? now,
      madeIn: existing?.madeIn ?? turnId,
      changedIn: existing?.changedIn ?? turnId,
      deleted: false,
      body: toContent(entry, existing?.body)
    })
  }
  const cards = markDuplicates([...updatedByUri.values()])
    .sort(byCreation)
    .flatMap((card) => (isSame(card, existingByUri.get(card.uri)) ? [] : [{ ...card, changedIn: turnId }]))
  const changed = new Set(cards.map(({ uri }) => uri))
  return {
    cards,
    plans: entries.flatMap(({ artifact }) => {
      if (artifact.type !== "plan" || !changed.has(artifact.uri)) return []
      const { previousText, text, uri, version } = artifact
      return [{ uri, version, text, previousText }]
    })
  }
}

/** The cards with the changes applied. */
export const merge = (
  cards: ReadonlyArray<ArtifactCard>,
  changed: ReadonlyArray<ArtifactCard>
): ReadonlyArray<ArtifactCard> => {
  const all = new Map([...cards, ...changed].map((card) => [card.uri, card]))
  return [...all.values()].sort(byCreation)
}

/** Whether a card has only words, because its file could not be fetched. */
export const isFileMissing = ({ body, deleted }: ArtifactCard): boolean =>
  !deleted && body._tag === "Media" && body.file === "missing"

/** The changes when a file of this version could not be fetched, or when it came after that, in a turn. */
export const fileChanges = (
  cards: ReadonlyArray<ArtifactCard>,
  { uri, version }: Pick<FileRef, "uri" | "version">,
  file: "missing" | "late",
  turnId: string
): CardChanges => ({
  cards: cards.flatMap((card) =>
    card.uri !== uri || card.body._tag !== "Media" || fileVersion(card.body) !== version
      ? []
      : [{ ...card, body: { ...card.body, file }, ...(file === "late" ? { changedIn: turnId } : {}) }]
  ),
  plans: []
})

const createdAt = ({ artifact }: ArtifactEntry): number | undefined =>
  Number.isSafeInteger(artifact.createdAt) ? artifact.createdAt : undefined

const isSame = (card: ArtifactCard, existing: ArtifactCard | undefined): boolean =>
  existing !== undefined &&
  card.deleted === existing.deleted &&
  (card.body === existing.body || haveSameBody(card.body, existing.body))

const haveSameBody = Schema.equivalence(ArtifactContent)

/** Of several files with the same content, the first seen carries it. */
const markDuplicates = (cards: ReadonlyArray<ArtifactCard>): Array<ArtifactCard> => {
  const firstNameByHash = new Map<string, string>()
  const bySight = cards.toSorted((a, b) => a.number - b.number)
  return bySight.map((card) => {
    const { body, deleted } = card
    if (body._tag !== "Media" || body.md5 === undefined || deleted) return card
    const { sameAs, ...rest } = body
    const original = firstNameByHash.get(body.md5)
    if (original === undefined) firstNameByHash.set(body.md5, body.name)
    return original === sameAs ? card : { ...card, body: original === undefined ? rest : { ...rest, sameAs: original } }
  })
}

const toContent = (
  { artifact, md5, updatedAt }: ArtifactEntry,
  before: ArtifactContent | undefined
): ArtifactContent => {
  const titled = titledOf(artifact)
  switch (artifact.type) {
    case "plan":
      return toPlan(artifact, titled, before)
    case "overview":
      return { _tag: "Overview", ...titled, text: artifact.text }
    case "tasks": {
      const { byStatus, done, items, total } = TaskProgress.of(artifact)
      return {
        _tag: "Tasks",
        ...titled,
        items: items.map(({ content, status }) => ({ content, status: String(status) })),
        done,
        total,
        cancelled: byStatus["cancelled"] ?? 0
      }
    }
    case "media":
      return toMedia(artifact, { md5, updatedAt: updatedAt ?? artifact.updatedAt }, titled, before)
    case "other":
      return toOther(artifact, titled)
  }
}

type Titled = Pick<ArtifactContent, "description" | "title">

const titledOf = ({ description, name, title }: Artifact.Artifact): Titled => ({
  title: title ?? name ?? "",
  ...(description === undefined || description.trim() === "" ? {} : { description: description.trim() })
})

/** The last segment of a uri, which names an artifact without a name. */
const lastSegment = (uri: string): string => uri.split("/").at(-1) ?? uri

const toPlan = (
  { previousText, text, version }: Artifact.Plan,
  titled: Titled,
  before: ArtifactContent | undefined
): ArtifactContent => {
  const previousPlan = before?._tag === "Plan" ? before : undefined
  const base = { _tag: "Plan", ...titled, text, ...(version === undefined ? {} : { version }) } as const
  // A repeated text has no new changes.
  if (previousPlan?.text === text && previousPlan.version === version) {
    return previousPlan.change === undefined ? base : { ...base, change: previousPlan.change }
  }
  const diff = PlanDiff.of({ previousText: previousText ?? previousPlan?.text, text })
  if (diff === undefined || diff.hunks.length === 0) return base
  return { ...base, change: { added: diff.added, removed: diff.removed, unified: PlanDiff.toUnified(diff) } }
}

const toMedia = (
  artifact: Artifact.Media,
  { md5, updatedAt }: { readonly md5: string | undefined; readonly updatedAt: bigint | number | undefined },
  titled: Titled,
  before: ArtifactContent | undefined
): Media => {
  const { contentType, height, mimeType, name, size, uri, width } = artifact
  const version = md5 ?? [updatedAt, size].filter((known) => known !== undefined).join(" ")
  return {
    _tag: "Media",
    ...titled,
    name: name ?? lastSegment(uri),
    kind: kindOf(contentType, mimeType),
    version,
    ...(mimeType === undefined ? {} : { mimeType }),
    ...(size === undefined ? {} : { size }),
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
    ...(md5 === undefined ? {} : { md5 }),
    ...(before?._tag === "Media" && before.file !== undefined && before.version === version
      ? { file: before.file }
      : {})
  }
}

const toOther = ({ raw, tag, uri }: Artifact.Other, { title, ...titled }: Titled): ArtifactContent => {
  const link = linkIn(raw)
  return {
    _tag: "Other",
    title: title.trim() === "" ? lastSegment(uri) : title,
    ...titled,
    type: tag,
    ...(link === undefined ? {} : { link })
  }
}

/** The page that an artifact names; an address with a query may hold a credential, so it is left out. */
const linkIn = (raw: unknown): string | undefined => {
  const { href, link, uri, url } = raw as Readonly<Record<string, unknown>>
  const named = [url, link, href, uri].find(
    (value) => typeof value === "string" && /^https:/i.test(value) && URL.canParse(value)
  )
  if (named === undefined) return undefined
  const address = new URL(String(named))
  const isPublic = address.username === "" && address.password === ""
  return isPublic && address.search === "" && address.href.length <= 500 ? address.href : undefined
}

const kindOf = (contentType: unknown, mimeType: string | undefined): Media["kind"] => {
  const declaredKind = [contentType, mimeType?.split("/")[0]].find(isKind)
  if (declaredKind !== undefined) return declaredKind
  return mimeType === undefined ? "file" : "document"
}

const isKind = (kind: unknown): kind is Exclude<Media["kind"], "file"> =>
  kind === "image" || kind === "video" || kind === "audio" || kind === "document"
