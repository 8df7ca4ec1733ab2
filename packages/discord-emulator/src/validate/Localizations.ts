import { type JsonObject, type Form, isJsonObject, type Path } from "./Form.ts"

/** The languages of Discord's clients. */
export const locales: ReadonlySet<string> = new Set(
  (
    "id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja " +
    "zh-TW ko"
  ).split(" ")
)

/** Whether Discord has clients in a language. */
export const isLocale = (text: string): boolean => locales.has(text)

/** Checks a dictionary of texts by language. */
export const readLocalizations = (
  form: Form,
  fields: JsonObject,
  key: string,
  path: Path,
  check: (texts: JsonObject, locale: string, at: Path) => void
): void => {
  const value = fields[key]
  if (value === undefined || value === null) return
  const at = [...path, key]
  if (form.object(value, at) === undefined || !isJsonObject(value)) return
  for (const locale of Object.keys(value))
    if (locales.has(locale)) check(value, locale, at)
    else
      form.addError(
        [...at, locale],
        "ENUM_TYPE_COERCE",
        `Value "${locale}" is not a valid enum value; it must be one of Discord's locales.`
      )
}

/** The locale that replaces one without texts. */
const fallbackLocales: Readonly<Record<string, string>> = { "en-US": "en-GB", "en-GB": "en-US", "es-419": "es-ES" }

/**
 * A command, option or choice in one language: its texts of the requested locale replace the dictionaries of all
 * languages.
 */
export const localized = (value: unknown, locale: string | undefined): unknown => {
  if (Array.isArray(value)) return value.map((item) => localized(item, locale))
  if (!isJsonObject(value)) return value
  const { description_localizations: descriptions, name_localizations: names, ...rest } = value
  const pick = (key: string, texts: unknown): object => {
    const text = isJsonObject(texts) ? (texts[locale ?? ""] ?? texts[fallbackLocales[locale ?? ""] ?? ""]) : undefined
    return text === undefined ? {} : { [key]: text }
  }
  return {
    ...rest,
    ...pick("name_localized", names),
    ...pick("description_localized", descriptions),
    ...("options" in rest ? { options: localized(rest["options"], locale) } : {}),
    ...("choices" in rest ? { choices: localized(rest["choices"], locale) } : {})
  }
}
