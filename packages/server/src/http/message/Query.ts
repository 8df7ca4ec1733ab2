/** The query of a request target, which need not be a valid URL. */
export const of = (target: string): URLSearchParams => {
  const [address = ""] = target.split("#", 1)
  const queryStart = address.indexOf("?")
  return new URLSearchParams(queryStart < 0 ? "" : address.slice(queryStart + 1))
}
