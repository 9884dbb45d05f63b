import type { Origin } from './api.ts'

/** The way to edit a setting. */
export type Kind = 'switch' | 'number' | 'text' | 'lines' | 'json' | 'secret' | 'secrets'

/** A change that is not saved. */
export interface Draft {
  /** The value to save; null takes the saved value away. */
  readonly value: unknown
  /** The text in the field, where the value is read from a text. */
  readonly text?: string
  /** Reason why the text is not a value. */
  readonly fault?: 'number' | 'json'
}

export type Drafts = Readonly<Record<string, Draft>>

/** Lists of objects; their empty list looks like any other. */
const OBJECT_LISTS: ReadonlySet<string> = new Set(['galleries', 'backend_galleries'])

export function findKind({ key, secret }: Pick<Origin, 'key' | 'secret'>, value: unknown): Kind {
  if (secret) return Array.isArray(value) ? 'secrets' : 'secret'
  if (typeof value === 'boolean') return 'switch'
  if (typeof value === 'number') return 'number'
  if (OBJECT_LISTS.has(key)) return 'json'
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? 'lines' : 'json'
  return typeof value === 'object' && value !== null ? 'json' : 'text'
}

/** A value as the text of its field. */
export function toText(kind: Kind, value: unknown): string {
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n')
  return value === undefined || value === null ? '' : String(value)
}

/** Reads the text of a field. */
export function readDraft(kind: Kind, text: string): Draft {
  switch (kind) {
    case 'number': {
      const value = text.trim() === '' ? Number.NaN : Number(text)
      return Number.isFinite(value) ? { value, text } : { value: undefined, text, fault: 'number' }
    }
    case 'json':
      try {
        return { value: JSON.parse(text), text }
      } catch {
        return { value: undefined, text, fault: 'json' }
      }
    case 'lines':
      return {
        value: text
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
        text,
      }
    default:
      return { value: text, text }
  }
}

const isSame = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

/** The drafts with one more. A draft that equals the server's value is dropped. */
export function putDraft(drafts: Drafts, key: string, draft: Draft | undefined, current: unknown): Drafts {
  const { [key]: _, ...others } = drafts
  if (draft === undefined || (draft.fault === undefined && isSame(draft.value, current))) return others
  return { ...others, [key]: draft }
}

/** The body that saves the drafts. */
export function toPatch(drafts: Drafts): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(drafts).map(([key, { value }]) => [key, value]))
}
