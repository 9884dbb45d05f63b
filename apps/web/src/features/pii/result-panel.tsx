import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { EmptyState, ErrorBlock } from '../../components/ui/states.tsx'
import { formatDuration } from '../../lib/format.ts'
import { useSession } from '../../lib/session.ts'
import type { Outcome } from './api.ts'
import { EntityTable } from './entity-table.tsx'
import { joinOverlaps, judge, maskSpans, NO_TRIAL, type Span, type Trial, tryOn } from './findings.ts'
import * as styles from './pii.module.css'
import { PolicyCard } from './policy-card.tsx'
import { TrialCard } from './trial-card.tsx'

/** Result of the filter for the text: the verdict, then its grounds. */
export function ResultPanel({
  outcome,
  error,
  isStale,
  onRetry,
}: {
  readonly outcome: Outcome | undefined
  readonly error: unknown
  /** Whether the text has changed since the run. */
  readonly isStale: boolean
  readonly onRetry: () => void
}) {
  const { t } = useTranslation('pii')
  const { isAdmin } = useSession().viewer
  return (
    <section className={styles.result} aria-label={t('result')}>
      {error !== null && error !== undefined ? (
        <ErrorBlock error={error} onRetry={onRetry} />
      ) : outcome === undefined ? (
        <EmptyState icon="shield" title={t('nothingYet')}>
          {t('nothingYetAbout')}
        </EmptyState>
      ) : (
        <OutcomeView key={outcome.correlationId} outcome={outcome} isStale={isStale} />
      )}
      {isAdmin && <PolicyCard />}
    </section>
  )
}

function OutcomeView({ outcome, isStale }: { readonly outcome: Outcome; readonly isStale: boolean }) {
  const { t } = useTranslation('pii')
  const { isAdmin } = useSession().viewer
  const [trial, setTrial] = useState<Trial>(NO_TRIAL)
  const isTrial = trial !== NO_TRIAL
  const findings = useMemo(() => tryOn(outcome.findings, trial), [outcome, trial])
  const spans = useMemo(() => joinOverlaps(findings), [findings])
  const isBlocked = judge(spans).verdict === 'blocked'
  const redacted = isBlocked ? undefined : isTrial ? maskSpans(outcome.text, spans) : outcome.redacted
  return (
    <>
      {isStale && <Notice>{t('stale')}</Notice>}
      {isTrial && <Notice>{t('trialShown')}</Notice>}
      <Verdict spans={spans} outcome={outcome} />
      <EntityTable findings={findings} spans={spans} />
      {redacted !== undefined && (
        <div className="card">
          <header>
            <h3>{t('modelSees')}</h3>
            <span className="push">
              <CopyButton showLabel text={redacted} />
            </span>
          </header>
          <RedactedText text={redacted} />
        </div>
      )}
      {isAdmin && outcome.findings.length > 0 && (
        <TrialCard findings={outcome.findings} trial={trial} isTrial={isTrial} onTrial={setTrial} />
      )}
    </>
  )
}

const TONES = { blocked: 'bad', masked: 'warn', allowed: 'info', clean: 'ok' } as const

function Verdict({ spans, outcome }: { readonly spans: readonly Span[]; readonly outcome: Outcome }) {
  const { t } = useTranslation('pii')
  const { verdict, counts } = judge(spans)
  const parts = (['block', 'mask', 'allow'] as const).flatMap((action) =>
    counts[action] === 0 ? [] : [t(`counted.${action}`, { count: counts[action] })],
  )
  return (
    <Notice tone={TONES[verdict]}>
      <div className={`row wrap ${styles.verdict}`}>
        <b className="semibold">{t(`verdict.${verdict}`)}</b>
        <span className="meta push">{formatDuration(outcome.tookMs)}</span>
      </div>
      <p className="muted">{parts.length === 0 ? t('counted.none') : parts.join(' ')}</p>
      {outcome.correlationId !== undefined && (
        <p className="meta">
          {t('reference')} <code>{outcome.correlationId}</code>
        </p>
      )}
    </Notice>
  )
}

const MASK = /(\[REDACTED:[^\]\n]{1,200}\])/

function RedactedText({ text }: { readonly text: string }) {
  const { t } = useTranslation('pii')
  return (
    <ScrollRegion as="div" className={styles.redacted} role="region" aria-label={t('modelSees')}>
      {text.split(MASK).map((part, index) => (index % 2 === 1 ? <i key={index}>{part}</i> : part))}
    </ScrollRegion>
  )
}
