/** An event of the server. Its fields are read where they are used, since servers add to them. */
export interface ServerEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** An event of the client; `event_id` is added when it is sent. */
export type ClientEvent = ServerEvent

/** Reads an event; undefined for anything else. */
export function readServerEvent(text: string): ServerEvent | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const { type } = toFields(value)
    return typeof type === 'string' ? { ...toFields(value), type } : undefined
  } catch {
    return undefined
  }
}

/** The fields of an object; none for anything else. */
export function toFields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

/** A text; empty for anything else. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** A whole number that is not negative; 0 for anything else. */
export function toIndex(value: unknown): number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : 0
}

/** The objects of a list; none for anything else. */
export function toList(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(toFields) : []
}
