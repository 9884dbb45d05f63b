import { CALENDAR_WINDOWS, readWindow, type WindowKind } from '../../../components/limits/windows.ts'
import type { Limit, LimitDraft } from '../../../lib/limits.ts'

export const SUBJECTS = ['account', 'key', 'group', 'group_member', 'model', 'end_user'] as const
export type SubjectKind = (typeof SUBJECTS)[number]

/** Stands for every subject of a kind. */
export const EACH = '*'

/** Values of the form of a limit, as they were typed. */
export interface LimitValues {
  readonly kind: SubjectKind
  /** Whether the limit holds for every subject of the kind by itself. */
  readonly isEach: boolean
  readonly subject: string
  readonly model: string
  readonly money: string
  readonly currency: string
  readonly tokens: string
  readonly requests: string
  readonly parallel: string
  readonly window: WindowKind
  /** The length of a rolling or fixed window, such as `5h`. */
  readonly length: string
  readonly isSoft: boolean
  readonly isEnabled: boolean
  readonly note: string
}

/** Names of the server's fields that the form has a place for. */
export const FORM_FIELDS = [
  ...(['subject_id', 'model', 'max_requests', 'max_total_tokens', 'max_cost_micros'] as const),
  ...(['currency', 'max_parallel', 'window', 'note'] as const),
]
export type FormField = (typeof FORM_FIELDS)[number]

const MONEY = /^(\d{1,9})(?:[.,](\d{1,6}))?$/

/** An amount as whole millionths, without a float on the way; undefined for a text that is none. */
export function readMoney(text: string): number | undefined {
  const [, whole, part = ''] = MONEY.exec(text.trim()) ?? []
  return whole === undefined ? undefined : Number(`${whole}${part.padEnd(6, '0')}`)
}

/** Millionths as an amount with a point. */
export function writeMoney(micros: number): string {
  const digits = String(micros).padStart(7, '0')
  const part = digits.slice(-6).replace(/0+$/, '')
  return `${digits.slice(0, -6)}${part === '' ? '' : `.${part}`}`
}

/** The form of a limit; of a new one without it. */
export function toValues(limit: Limit | undefined): LimitValues {
  const window = readWindow(limit?.window ?? 'month')
  const write = (bound: number | null | undefined): string => (bound == null ? '' : String(bound))
  return {
    kind: limit?.subject_kind ?? 'account',
    isEach: limit?.subject_id === EACH,
    subject: limit?.subject_id ?? '',
    model: limit?.model ?? '',
    money: limit?.max_cost_micros == null ? '' : writeMoney(limit.max_cost_micros),
    currency: limit?.currency || 'USD',
    tokens: write(limit?.max_total_tokens),
    requests: write(limit?.max_requests),
    parallel: write(limit?.max_parallel),
    window: window.kind,
    length: window.length || '5h',
    isSoft: limit?.soft ?? false,
    isEnabled: limit?.enabled ?? true,
    note: limit?.note ?? '',
  }
}

/** A limit for the server. A `max_cost_micros` of null stands for no bound, so check the money first. */
export function toDraft(values: LimitValues): LimitDraft {
  const read = (text: string): number | null => (text.trim() === '' ? null : Number(text))
  const money = values.money.trim() === '' ? null : (readMoney(values.money) ?? null)
  const isCalendar = CALENDAR_WINDOWS.some((unit) => unit === values.window)
  return {
    subject_kind: values.kind,
    subject_id: values.isEach ? EACH : values.subject.trim(),
    model: values.kind === 'model' ? '' : values.model,
    max_cost_micros: money,
    currency: money === null ? '' : values.currency.trim().toUpperCase(),
    max_total_tokens: read(values.tokens),
    max_requests: read(values.requests),
    max_parallel: read(values.parallel),
    window: isCalendar ? values.window : `${values.window} ${values.length.trim()}`,
    soft: values.isSoft,
    enabled: values.isEnabled,
    note: values.note.trim(),
  }
}

/** The field that the server's refusal begins with. */
export function findField(message: string): FormField | undefined {
  return FORM_FIELDS.find((field) => message.startsWith(`${field} `))
}

/** The part of the form that a group of fields shows and changes. */
export interface FieldsProps {
  readonly values: LimitValues
  readonly onChange: (next: Partial<LimitValues>) => void
  /** The refusal of a field. */
  readonly refusal: (field: FormField) => string | undefined
}
