import { ADMISSION_STAGES, REQUEST_MARKS, type RequestStage } from '../../lib/stages.gen.ts'

/** A piece of time in milliseconds from the arrival of the request. */
export interface Span {
  readonly start: number
  readonly length: number
}

/** Names of the server. The compiler refuses a name that the server no longer has. */
type ServerName<Name extends RequestStage | (typeof REQUEST_MARKS)[number]> = Name

/** Rows of the waterfall that have a text and a colour. Any other stage is drawn under its own name. */
export type PhaseName =
  | ServerName<'admission' | 'pii' | 'router' | 'parse' | 'load' | 'prompt' | 'first_token' | 'model'>
  | 'stream'
  | 'answer'

/** A row of the waterfall. */
export interface PhaseRow {
  /** A `PhaseName`, or the name of a stage that this interface does not know. */
  readonly name: string
  readonly spans: readonly Span[]
  /** The figure of the row in milliseconds. */
  readonly ms: number
}

const MARKS: ReadonlySet<string> = new Set(REQUEST_MARKS)
/** Stages whose time is shown in more detail by the rows of the model's answer. */
const ANSWER_STAGES: readonly RequestStage[] = ['model', 'reply']
const STAGES_WITH_ROWS: readonly RequestStage[] = ['pii', 'router', 'parse']
/** Stages that a row is made of. */
const HAVE_ROWS: ReadonlySet<string> = new Set([...ADMISSION_STAGES, ...STAGES_WITH_ROWS, ...ANSWER_STAGES])
/** A share of the request that the reading of its body has to reach to be shown. */
const SHOWN_SHARE = 0.01

/**
 * Lays out the phases of a request.
 *
 * @param phases milliseconds as the trace has them, stages in their order
 * @param isStreamed a reply in one piece has no first token: its time up to there is the whole answer
 */
export function layOutPhases(
  phases: Readonly<Record<string, number>>,
  { totalMs, isStreamed }: { readonly totalMs: number; readonly isStreamed: boolean },
): PhaseRow[] {
  const stages = placeStages(phases)
  const sum = (spans: readonly Span[]) => spans.reduce((ms, { length }) => ms + length, 0)
  const rows: PhaseRow[] = []
  const add = (name: string, spans: readonly Span[], ms = sum(spans)) => rows.push({ name, spans, ms })
  const admission = ADMISSION_STAGES.flatMap((name) => stages.get(name) ?? [])
  if (admission.length > 0) add('admission', admission, phases.admission)
  for (const name of ['pii', 'router'] satisfies RequestStage[]) {
    const span = stages.get(name)
    if (span !== undefined) add(name, [span])
  }
  const parse = stages.get('parse')
  if (parse !== undefined && parse.length >= totalMs * SHOWN_SHARE) add('parse', [parse])
  for (const [name, span] of stages) if (!HAVE_ROWS.has(name)) add(name, [span])

  const { load, prompt, first_token: firstToken } = phases
  const model = stages.get('model')
  const askedAt = firstToken !== undefined && prompt !== undefined ? firstToken - prompt : undefined
  if (load !== undefined) {
    const start = Math.max(0, askedAt === undefined ? (model?.start ?? 0) : askedAt - load)
    add('load', [{ start, length: load }])
  }
  if (askedAt !== undefined && prompt !== undefined)
    add(isStreamed ? 'prompt' : 'answer', [{ start: askedAt, length: prompt }])
  if (firstToken !== undefined) {
    if (!isStreamed) return rows
    add('first_token', [{ start: firstToken, length: 0 }], firstToken)
    add('stream', [{ start: firstToken, length: Math.max(0, totalMs - firstToken) }])
  } else if (model !== undefined) {
    add('model', [{ start: model.start, length: Math.max(model.length, totalMs - model.start) }])
  }
  return rows
}

/** Places the stages one behind the other, in the order of the trace: each begins where the one before it ends. */
function placeStages(phases: Readonly<Record<string, number>>): Map<string, Span> {
  const placed = new Map<string, Span>()
  let start = 0
  for (const [name, length] of Object.entries(phases)) {
    if (MARKS.has(name) || !Number.isFinite(length)) continue
    placed.set(name, { start, length })
    start += length
  }
  return placed
}

/** The row under which a call to a backend is drawn, by the kind of the call. */
export function findPhaseOfCall(type: string): PhaseName {
  if (type === 'token_classify' || type === 'pattern_pii') return 'pii'
  if (type === 'score' || type === 'vector_store') return 'router'
  if (type === 'model_load') return 'load'
  return 'stream'
}

/** Place of a call within its request, cut at the request's ends. */
export function placeCall(
  call: { readonly timestamp: string; readonly duration: number },
  request: { readonly timestamp: string },
  totalMs: number,
): Span {
  const start = Math.min(totalMs, Math.max(0, Date.parse(call.timestamp) - Date.parse(request.timestamp)))
  return { start, length: Math.max(0, Math.min(call.duration / 1e6, totalMs - start)) }
}

/** Round times for the axis: at most four, the first is 0. */
export function pickTimes(totalMs: number): number[] {
  if (!(totalMs > 0)) return [0]
  const power = 10 ** Math.floor(Math.log10(totalMs / 3))
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => totalMs / size < 4) ?? totalMs
  return Array.from({ length: Math.floor(totalMs / step) + 1 }, (_, index) => index * step)
}
