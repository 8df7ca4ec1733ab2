import { Form } from "../../validate/Form.ts"

/** The values of `auto_archive_duration`, in minutes. */
export const autoArchiveDurations = [60, 1440, 4320, 10_080] as const

/** The checked body that creates a thread. */
export interface ThreadBody {
  readonly name: string
  readonly type: number | undefined
  readonly autoArchiveDuration: number | undefined
  readonly slowmode: number | undefined
  readonly invitable: boolean
  readonly appliedTags: ReadonlyArray<string> | undefined
}

/** Checks the body that creates a thread; throws 50035. */
export const readThreadBody = (body: unknown): ThreadBody => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 100, required: true }) ?? ""
  const type = form.choice(fields, "type", [], [10, 11, 12])
  const autoArchiveDuration = form.choice(fields, "auto_archive_duration", [], autoArchiveDurations)
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
  const appliedTags = form.ids(fields, "applied_tags", [], { max: 5 })
  form.throwIfInvalid()
  return { name, type, autoArchiveDuration, slowmode, invitable: fields["invitable"] !== false, appliedTags }
}

/** The checked body that modifies a thread; absent fields stay as they are. */
export interface ThreadChange {
  readonly name?: string
  readonly archived?: boolean
  readonly locked?: boolean
  readonly invitable?: boolean
  readonly autoArchiveDuration?: number
  readonly slowmode?: number
  readonly flags?: number
  readonly appliedTags?: ReadonlyArray<string>
}

/** Checks the body that modifies a thread; throws 50035. */
export const readThreadChange = (body: unknown): ThreadChange => {
  const form = new Form()
  const fields = form.object(body ?? {}, []) ?? {}
  const name = form.text(fields, "name", [], { min: 1, max: 100 })
  const slowmode = form.integer(fields, "rate_limit_per_user", [], { min: 0, max: 21_600 })
  const autoArchiveDuration = form.choice(fields, "auto_archive_duration", [], autoArchiveDurations)
  const flags = form.integer(fields, "flags", [], { min: 0, max: 2 ** 31 - 1 })
  const appliedTags = form.ids(fields, "applied_tags", [], { max: 5 })
  form.throwIfInvalid()
  const flag = (key: "archived" | "locked" | "invitable"): object =>
    typeof fields[key] === "boolean" ? { [key]: fields[key] } : {}
  return {
    ...flag("archived"),
    ...flag("locked"),
    ...flag("invitable"),
    ...(name === undefined ? {} : { name }),
    ...(slowmode === undefined ? {} : { slowmode }),
    ...(autoArchiveDuration === undefined ? {} : { autoArchiveDuration }),
    ...(flags === undefined ? {} : { flags }),
    ...(appliedTags === undefined ? {} : { appliedTags })
  }
}
