/** The parameters of a request's target, whatever else stands in it: a target need not be an address. */
export const of = (target: string): URLSearchParams => {
  const [address = ""] = target.split("#", 1)
  const at = address.indexOf("?")
  return new URLSearchParams(at < 0 ? "" : address.slice(at + 1))
}
