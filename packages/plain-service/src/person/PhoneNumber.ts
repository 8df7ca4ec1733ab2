/** Reads a mobile number by the format rules; undefined when they do not accept it (4.4). */
export const phoneNumber = (written: string): string | undefined => {
  const digits = written.replace(/[ \-()]/g, "")
  const mainland = /^(?:\+86)?(1[3-9]\d{9})$/.exec(digits)?.[1]
  if (mainland !== undefined) return `+86${mainland}`
  return /^\+85[23]\d{8}$/.test(digits) ? digits : undefined
}
