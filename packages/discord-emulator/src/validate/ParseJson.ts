/**
 * Parses JSON. Whole numbers as long as an id become texts, since some clients send ids and nonces as numbers. Throws
 * for broken JSON.
 */
export const parseJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (!/\d{17}/.test(text)) return value
  let isInText = false
  const quoted = text.replaceAll(/\\.|"|-?\d[\d.eE+-]*/g, (token) => {
    if (token === '"') isInText = !isInText
    return !isInText && /^\d{17,20}$/.test(token) ? `"${token}"` : token
  })
  return JSON.parse(quoted)
}
