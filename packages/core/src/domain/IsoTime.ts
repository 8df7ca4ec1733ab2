/**
 * The epoch milliseconds of an ISO 8601 text, or undefined if it is none (contract decision 24).
 * Accepts any offset (`Z`, `+08:00`, `+0800`, `+08`), any fraction and a space instead of the `T`.
 * A time without an offset is UTC, so that it means the same on every machine.
 */
export const toMillis = (text: string): number | undefined => {
  const parts = pattern.exec(text.trim())?.groups
  if (parts === undefined) return undefined
  const number = (name: string): number => Number(parts[name] ?? 0)
  const [year, month, day] = [number("year"), number("month"), number("day")]
  const [hour, minute, second] = [number("hour"), number("minute"), number("second")]
  const offsetMinutes = number("offsetHour") * 60 + number("offsetMinute")
  const isInRange =
    month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month) && hour <= 23 && minute <= 59 && second <= 60
  if (!isInRange || number("offsetHour") > 23 || number("offsetMinute") > 59) return undefined
  const local = new Date(0)
  // The constructor and Date.UTC would read the years 0 to 99 as 19xx.
  local.setUTCFullYear(year, month - 1, day)
  local.setUTCHours(hour, minute, second, Number((parts["fraction"] ?? "").slice(0, 3).padEnd(3, "0")))
  return local.getTime() - (parts["sign"] === "-" ? -offsetMinutes : offsetMinutes) * minuteMs
}

const minuteMs = 60_000

const pattern =
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[Tt ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d+))?)? ?(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d):?(?<offsetMinute>\d\d)?)?)?$/

const daysIn = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31
