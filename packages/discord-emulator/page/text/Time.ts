const DAY_MS = 86_400_000
const timeFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })
const longDateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "long" })
const shortDateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "short" })

/** Shows the time of day, as beside a grouped message. */
export const timeOfDay = (at: Date): string => timeFormat.format(at)

/** Shows the whole date, as on a day separator. */
export const longDate = (at: Date): string => longDateFormat.format(at)

/** Shows date and time in words, as in a tooltip; in the browser's language unless another one is given. */
export const fullDateTime = (at: Date, locale?: string): string =>
  at.toLocaleString(locale, { dateStyle: "full", timeStyle: "short" })

/** Shows "Today at 14:03", "Yesterday at 14:03" or a date. */
export const messageTime = (at: Date, now: Date): string => {
  const days = Math.round((midnight(now) - midnight(at)) / DAY_MS)
  if (days === 0) return `Today at ${timeFormat.format(at)}`
  if (days === 1) return `Yesterday at ${timeFormat.format(at)}`
  return `${shortDateFormat.format(at)} ${timeFormat.format(at)}`
}

/** Whether two moments are on the same day here. */
export const sameDay = (a: Date, b: Date): boolean => midnight(a) === midnight(b)

/** Shows a `<t:…:style>` timestamp in its style, in the language of the person's client. */
export const formatTimestamp = (at: Date, style: string | undefined, now: Date, locale: string): string => {
  switch (style) {
    case "t":
      return at.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit" })
    case "T":
      return at.toLocaleTimeString(locale)
    case "d":
      return at.toLocaleDateString(locale, { dateStyle: "short" })
    case "D":
      return at.toLocaleDateString(locale, { dateStyle: "long" })
    case "F":
      return fullDateTime(at, locale)
    case "R":
      return fromNow(at, now, locale)
    default:
      return at.toLocaleString(locale, { dateStyle: "long", timeStyle: "short" })
  }
}

const midnight = (at: Date): number => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime()

const units: ReadonlyArray<readonly [Intl.RelativeTimeFormatUnit, number]> = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60]
]

const fromNow = (at: Date, now: Date, locale: string): string => {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" })
  const seconds = Math.round((at.getTime() - now.getTime()) / 1000)
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  }
  return relative.format(seconds, "second")
}
