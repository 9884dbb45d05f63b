import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { formatDuration } from '../../lib/format.ts'
import { type CallTrace, callsOfRequestQuery, type RequestTrace } from './api.ts'
import { isStreamed } from './bodies.ts'
import * as styles from './traces.module.css'
import { findPhaseOfCall, layOutPhases, type PhaseName, pickTimes, placeCall, type Span } from './waterfall.ts'

const TONES: ReadonlyMap<string, string | undefined> = new Map<PhaseName, string | undefined>([
  ['admission', styles.toneMark],
  ['pii', styles.tone3],
  ['router', styles.tone1],
  ['parse', styles.toneMark],
  ['load', styles.toneMark],
  ['prompt', styles.tone2],
  ['first_token', styles.tone2],
  ['stream', styles.toneAccent],
  ['answer', styles.toneAccent],
  ['model', styles.toneAccent],
])
/** A wait for a model that is there already. */
const RESIDENT_MS = 1

/** Times of a request: its phases, and below them the calls to backends. */
export function Waterfall({ trace }: { readonly trace: RequestTrace }) {
  const { t } = useTranslation('traces')
  const calls = useQuery(callsOfRequestQuery(trace.correlation_id))
  const total = trace.duration / 1e6
  const phases = layOutPhases(trace.phases, { totalMs: total, isStreamed: isStreamed(trace) })
  const shown = new Set(phases.map(({ name }) => name))
  const last = phases.at(-1)?.name
  const home = ({ type }: CallTrace) => {
    const phase = findPhaseOfCall(type)
    return shown.has(phase) ? phase : last
  }
  return (
    <section>
      <h3>{t('waterfall.title')}</h3>
      <Axis total={total} />
      <ol className={styles.waterfall}>
        {phases.flatMap(({ name, spans, ms }) => [
          <li key={name}>
            <span className="clip">{t(`phase.${name}`, { defaultValue: name })}</span>
            <Track spans={spans} total={total} tone={TONES.get(name) ?? styles.toneMark} />
            <span className="number">
              {name === 'load' && ms < RESIDENT_MS
                ? t('waterfall.resident')
                : name === 'first_token'
                  ? t('waterfall.at', { time: formatDuration(ms) })
                  : formatShort(ms)}
            </span>
          </li>,
          ...(calls.data ?? [])
            .filter((call) => home(call) === name)
            .map((call) => (
              <li key={call.id} className={styles.subStage} title={`${call.type}: ${call.summary}`}>
                <span className="clip">{t('waterfall.call', { model: call.model_name, type: call.type })}</span>
                <Track spans={[placeCall(call, trace, total)]} total={total} tone={styles.toneNone} />
                <span className="number">{formatShort(call.duration / 1e6)}</span>
              </li>
            )),
        ])}
      </ol>
      {calls.isError && <ErrorBlock error={calls.error} onRetry={() => void calls.refetch()} />}
    </section>
  )
}

function Axis({ total }: { readonly total: number }) {
  return (
    <div className={styles.axis} aria-hidden="true">
      {pickTimes(total).map((time) => (
        <span key={time} style={{ insetInlineStart: `${total > 0 ? (time / total) * 100 : 0}%` }}>
          {time === 0 ? '0' : formatDuration(time)}
        </span>
      ))}
    </div>
  )
}

/** @param tone the class of the bars */
function Track({
  spans,
  total,
  tone,
}: {
  readonly spans: readonly Span[]
  readonly total: number
  readonly tone: string | undefined
}) {
  const toPercent = (ms: number) => `${Math.min(100, total > 0 ? (ms / total) * 100 : 0).toFixed(2)}%`
  return (
    <span className={styles.track}>
      {spans.map(({ start, length }) => (
        <i key={start} className={tone} style={{ insetInlineStart: toPercent(start), width: toPercent(length) }} />
      ))}
    </span>
  )
}

/** Formats a time. Times below a millisecond look different from 0. */
const formatShort = (ms: number): string => (ms > 0 && ms < 1 ? `< ${formatDuration(1)}` : formatDuration(ms))
