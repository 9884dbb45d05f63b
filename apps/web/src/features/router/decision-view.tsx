import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import type { Decision, DryRun, Router } from './api.ts'
import { walkCandidates } from './candidate-walk.ts'
import { CHOSEN } from './chosen.ts'
import { LabelBars } from './label-bars.tsx'
import * as styles from './router.module.css'

type Evidence = Pick<
  DryRun,
  | ('score' | 'gap' | 'label_scores' | 'activation_threshold' | 'latency_ms' | 'cached')
  | ('cache_similarity' | 'nearest_similarity' | 'neighbors' | 'reason' | 'labels' | 'rules')
> & { readonly served: string | undefined }

/** Grounds of a decision: bars of labels, the walk over candidates, cache and neighbours. */
export function DecisionView({
  decision,
  candidates,
}: {
  readonly decision: Evidence
  /** Candidates as they are now; left out for decisions of the past, which may have seen others. */
  readonly candidates?: Router['candidates']
}) {
  const { t } = useTranslation('router')
  const { labels, label_scores: scores = [], activation_threshold: threshold, reason, served, latency_ms } = decision
  const isChosen = CHOSEN.has(reason)
  // relevance of a reranker may pass 1: the longest bar is then the whole width
  const whole = Math.max(1, ...scores.map(({ score }) => score))
  return (
    <div className="stack" role="status">
      <Notice tone={isChosen ? 'ok' : 'warn'}>
        <div className={`row wrap ${styles.verdict}`}>
          <b className="semibold">{t('goesTo', { model: served ?? t('noModel') })}</b>
          <span className="meta push">{formatDuration(latency_ms)}</span>
        </div>
        <p className="muted">{t(`reason.${reason}`)}</p>
      </Notice>
      <RuleLines rules={decision.rules} />
      <CacheLine decision={decision} />
      {scores.length > 0 && (
        <section className="stack tight">
          <h3>{t('labels')}</h3>
          <LabelBars
            rows={scores.map(({ label, score }) => ({
              label,
              share: score / whole,
              text: formatNumber(score, 3),
              isActive: labels.includes(label),
            }))}
            threshold={threshold === undefined ? undefined : threshold / whole}
          />
          <p className="meta">
            {threshold !== undefined && t('thresholdLine', { value: formatNumber(threshold, 3) })}{' '}
            {labels.length === 0 && t('noneActive')}
          </p>
        </section>
      )}
      {candidates !== undefined && (reason === 'covered' || !isChosen) && (
        <Walk candidates={candidates} active={labels} />
      )}
      <Neighbours neighbours={decision.neighbors} nearest={decision.nearest_similarity} />
    </div>
  )
}

/** The rules that fired, each with the signals by which it did. */
function RuleLines({ rules = [] }: { readonly rules: Evidence['rules'] | undefined }) {
  const { t } = useTranslation('router')
  if (rules.length === 0) return null
  return (
    <section className="stack tight">
      <h3>{t('rules')}</h3>
      {rules.map(({ name, use, only, signals }) => (
        <p key={name} className="meta">
          <Badge tone="acc">{name}</Badge> {use ?? only?.join(', ')}{' '}
          {signals.map(({ signal, value }) => `${signal}: ${value}`).join('; ')}
        </p>
      ))}
    </section>
  )
}

function CacheLine({ decision: { cached, cache_similarity: similarity } }: { readonly decision: Evidence }) {
  const { t } = useTranslation('router')
  if (!cached && similarity === undefined) return null
  return (
    <p className="meta">
      <Badge tone={cached ? 'acc' : ''}>{cached ? t('cacheHit') : t('cacheMiss')}</Badge>{' '}
      {similarity !== undefined && t('similarity', { value: formatNumber(similarity, 3) })}
    </p>
  )
}

function Walk({
  candidates,
  active,
}: {
  readonly candidates: Router['candidates']
  readonly active: readonly string[]
}) {
  const { t } = useTranslation('router')
  return (
    <section className="stack tight">
      <h3>{t('walk')}</h3>
      <ol className={styles.walk}>
        {walkCandidates(candidates, active).map(({ model, labels, missing, outcome }) => (
          <li key={model} className={outcome === 'unreached' ? styles.unreached : undefined}>
            <b>{model}</b> <span className="muted">{labels.join(', ')}</span>{' '}
            {outcome === 'picked' && <Badge tone="ok">{t('picked')}</Badge>}
            {outcome === 'passed' && (
              <span className="meta">
                {active.length === 0 ? t('nothingAsked') : t('lacks', { labels: missing.join(', ') })}
              </span>
            )}
            {outcome === 'unreached' && <span className="meta">{t('unreached')}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Neighbours({
  neighbours,
  nearest,
}: {
  readonly neighbours: Decision['neighbors']
  readonly nearest: number | undefined
}) {
  const { t } = useTranslation('router')
  if (neighbours === undefined || neighbours.length === 0)
    return nearest === undefined ? null : <p className="meta">{t('nearest', { value: formatNumber(nearest, 3) })}</p>
  return (
    <section className="stack tight">
      <h3>{t('neighbours')}</h3>
      <table className="table compact">
        <thead>
          <tr>
            <th scope="col">{t('entry')}</th>
            <th scope="col">{t('labels')}</th>
            <th scope="col" className="number">
              {t('similarityHead')}
            </th>
          </tr>
        </thead>
        <tbody>
          {neighbours.map(({ id, labels, similarity }, index) => (
            <tr key={`${id ?? ''}-${index}`}>
              <td className="monospace">{id}</td>
              <td>{labels?.join(', ')}</td>
              <td className="number">{formatNumber(similarity, 3)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
