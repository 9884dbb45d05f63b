/** Test support: converts the keys of model files (`snake_case`) to the case of the settings, at every depth. */
export function toCamelCaseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toCamelCaseKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      toCamelCaseKeys(member),
    ]),
  )
}
