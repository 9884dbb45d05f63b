/** The view of the page: backends of the galleries, or installed backends. */
export type BackendView = 'explore' | 'installed'

/** The states that installed backends are filtered by: their origin, or a newer version. */
export const BACKEND_STATES = ['user', 'system', 'upgrade'] as const

/** Search parameters of the page of backends. Absent ones have their defaults. */
export interface BackendsSearch {
  readonly view?: BackendView
  readonly q?: string
  readonly tag?: string
  readonly state?: (typeof BACKEND_STATES)[number]
  /** Whether backends for other machines are shown too. */
  readonly show_all?: 1
  /** Whether development builds are shown too. */
  readonly development?: 1
  /** The backend whose details are open: of the gallery by its id, of this server by its name. */
  readonly backend?: string
}

/** Reads the search parameters; a wrong value becomes its default. */
export function readBackendsSearch(parameters: Record<string, unknown>): BackendsSearch {
  const view = (['explore', 'installed'] as const).find((one) => one === parameters.view)
  const state = BACKEND_STATES.find((one) => one === parameters.state)
  const texts = (['q', 'tag', 'backend'] as const).flatMap((name) => {
    const value = parameters[name]
    const isText = typeof value === 'number' || (typeof value === 'string' && value !== '')
    return isText ? [[name, String(value)] as const] : []
  })
  const isOn = (value: unknown) => value === 1 || value === '1' || value === true
  return {
    ...(view && { view }),
    ...Object.fromEntries(texts),
    ...(state && { state }),
    ...(isOn(parameters.show_all) && { show_all: 1 as const }),
    ...(isOn(parameters.development) && { development: 1 as const }),
  }
}
