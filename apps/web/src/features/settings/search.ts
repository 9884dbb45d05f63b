/** Search parameters of the settings, beside the section in the path. */
export interface SettingsSearch {
  /** Words that a setting has in its key, its text, its flag or its variables. */
  readonly q?: string
}

export function readSettingsSearch({ q }: Record<string, unknown>): SettingsSearch {
  if (typeof q === 'number') return { q: String(q) }
  return typeof q === 'string' && q !== '' ? { q } : {}
}
