import { checkModelExists } from '../check-model.ts'
import { checkText } from '../check-text.ts'
import { invalidValue } from '../errors.ts'
import { LIMIT_SUBJECTS, type Limit, type LimitSubjectKind, type LimitWindow } from '../ports/limits.ts'
import { parseWindow } from './window-text.ts'

/** A limit as a form has it. In a change, absent fields stay as they are and null removes a bound. */
export interface LimitDraft {
  readonly subjectKind?: unknown
  readonly subjectId?: unknown
  readonly model?: unknown
  readonly maxRequests?: unknown
  readonly maxTokens?: unknown
  /** Whole millionths. */
  readonly maxCostMicros?: unknown
  readonly currency?: unknown
  readonly maxParallel?: unknown
  /** `minute`, `hour`, `day` or `month`, `rolling 5h`, `fixed 7d`. @default `month` */
  readonly window?: unknown
  readonly isSoft?: unknown
  readonly isEnabled?: unknown
  readonly note?: unknown
}

/** Stands for every subject of a kind. */
export const EACH = '*'

/** Whether a limit has a count for each of many, and none of its own. */
export function isForEach({ subject }: Pick<Limit, 'subject'>): boolean {
  return subject.id === EACH || subject.kind === 'group_member'
}

const MAX_ID_LENGTH = 200
const MAX_NOTE_LENGTH = 500
/** More than any sum of money that is spent here; sums beyond it would not stay exact. */
const MAX_MICROS = 1_000_000_000_000_000
const CURRENCY = /^[A-Z]{3}$/

/** The fields of a limit that a draft decides. */
export type LimitFields = Omit<Limit, 'id' | 'createdAt'>

/** Options of {@link readLimitDraft}. */
export interface LimitDraftOptions {
  /** The limit that is changed. @default a new one */
  readonly before?: Limit | undefined
  readonly hasModel?: ((name: string) => boolean) | undefined
}

/** Reads a draft. @throws {AuthError} `invalid_request` */
export function readLimitDraft(draft: LimitDraft, { before, hasModel }: LimitDraftOptions): LimitFields {
  const subject = readSubject(draft, before)
  const model = readModel(draft.model, before)
  const fields: LimitFields = {
    subject,
    model,
    maxRequests: readBound(draft.maxRequests, 'max_requests', before?.maxRequests),
    maxTokens: readBound(draft.maxTokens, 'max_total_tokens', before?.maxTokens),
    maxCostMicros: readBound(draft.maxCostMicros, 'max_cost_micros', before?.maxCostMicros, MAX_MICROS),
    currency: readCurrency(draft.currency ?? before?.currency ?? ''),
    maxParallel: readBound(draft.maxParallel, 'max_parallel', before?.maxParallel),
    window: readWindow(draft.window, before?.window),
    isSoft: readSwitch(draft.isSoft, 'soft', before?.isSoft ?? false),
    isEnabled: readSwitch(draft.isEnabled, 'enabled', before?.isEnabled ?? true),
    note: checkText(draft.note ?? before?.note ?? '', { name: 'note', maxLength: MAX_NOTE_LENGTH, isOptional: true }),
  }
  checkWhole(fields)
  if (model !== '' && model !== before?.model) checkModelExists(model, { hasModel, field: 'model' })
  if (subject.kind === 'model' && subject.id !== EACH && before === undefined) {
    checkModelExists(subject.id, { hasModel, field: 'subject_id' })
  }
  return fields
}

/** Checks what fields say together. */
function checkWhole({ subject, model, maxCostMicros, currency, ...bounds }: LimitFields): void {
  const all = [bounds.maxRequests, bounds.maxTokens, bounds.maxParallel, maxCostMicros]
  if (all.every((bound) => bound === undefined)) {
    throw invalidValue('a limit needs max_requests, max_total_tokens, max_cost_micros or max_parallel')
  }
  if (maxCostMicros !== undefined && currency === '') throw invalidValue('currency is required with max_cost_micros')
  if (subject.kind === 'model' && model !== '') throw invalidValue('a limit of a model has no further model')
}

function readSubject(draft: LimitDraft, before: Limit | undefined): Limit['subject'] {
  if (before !== undefined) {
    const isSame = (value: unknown, known: string): boolean => value === undefined || value === known
    if (isSame(draft.subjectKind, before.subject.kind) && isSame(draft.subjectId, before.subject.id))
      return before.subject
    throw invalidValue('the subject of a limit cannot be changed; remove the limit and add another one')
  }
  const kind = LIMIT_SUBJECTS.find((known): known is LimitSubjectKind => known === draft.subjectKind)
  if (kind === undefined) throw invalidValue(`subject_kind must be one of ${LIMIT_SUBJECTS.join(', ')}`)
  const id = checkText(draft.subjectId, { name: 'subject_id', maxLength: MAX_ID_LENGTH })
  if (kind === 'group_member' && id === EACH) throw invalidValue('subject_id must be the id of a group')
  return { kind, id }
}

function readModel(value: unknown, before: Limit | undefined): string {
  const text = value === undefined ? before?.model : value
  return checkText(text ?? '', { name: 'model', maxLength: MAX_ID_LENGTH, isOptional: true })
}

function readBound(
  value: unknown,
  name: string,
  before: number | undefined,
  most = Number.MAX_SAFE_INTEGER,
): number | undefined {
  if (value === undefined) return before
  if (value === null) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most) return value
  throw invalidValue(`${name} must be a whole number from 0 to ${most}, or null`)
}

function readCurrency(value: unknown): string {
  if (value === '' || (typeof value === 'string' && CURRENCY.test(value))) return value
  throw invalidValue('currency must be a code of three capital letters, such as USD')
}

function readWindow(value: unknown, before: LimitWindow = { kind: 'calendar', unit: 'month' }): LimitWindow {
  if (value === undefined) return before
  const window = typeof value === 'string' ? parseWindow(value) : undefined
  if (window !== undefined) return window
  throw invalidValue(
    'window must be minute, hour, day or month, or rolling or fixed with a duration between 1s and 366d, such as rolling 5h',
  )
}

function readSwitch(value: unknown, name: string, before: boolean): boolean {
  if (value === undefined) return before
  if (typeof value === 'boolean') return value
  throw invalidValue(`${name} must be true or false`)
}
