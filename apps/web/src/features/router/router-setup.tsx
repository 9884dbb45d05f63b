import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { Router } from './api.ts'
import { LabelBars } from './label-bars.tsx'
import * as styles from './router.module.css'

/** Setup of a router: labels, candidates, cache. */
export function RouterSetup({ router }: { readonly router: Router }) {
  const { t } = useTranslation('router')
  const { policies, candidates, fallback, embedding_cache: cache, knn, activation_threshold: threshold } = router
  return (
    <>
      <div className="card">
        <header>
          <h2>{t('labels')}</h2>
          {threshold !== undefined && (
            <span className="meta push">{t('threshold', { value: formatNumber(threshold, 3) })}</span>
          )}
        </header>
        <dl className="facts cardBody">
          {policies.map(({ label, description }) => (
            <div className="factRow" key={label}>
              <dt>{label}</dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div className="card">
        <header>
          <h2>{t('candidates')}</h2>
        </header>
        <ol className={`${styles.walk} cardBody`}>
          {candidates.map(({ model, labels }) => (
            <li key={model}>
              <b>{model}</b> <span className="muted">{labels.join(', ')}</span>
            </li>
          ))}
          <li>
            <b>{fallback === '' ? t('noFallback') : fallback}</b> <span className="muted">{t('fallback')}</span>
          </li>
        </ol>
      </div>
      {knn !== undefined && (
        <div className="card">
          <header>
            <h2>{t('examples')}</h2>
          </header>
          <dl className="facts cardBody">
            <dt>{t('embeddingModel')}</dt>
            <dd>{knn.embedding_model}</dd>
            <dt>{t('neighbours')}</dt>
            <dd>{formatNumber(knn.k)}</dd>
            <dt>{t('leastSimilarity')}</dt>
            <dd>{formatNumber(knn.similarity_threshold, 3)}</dd>
            <dt>{t('leastVote')}</dt>
            <dd>{formatNumber(knn.vote_threshold, 3)}</dd>
          </dl>
        </div>
      )}
      {cache !== undefined && <CacheCard cache={cache} />}
    </>
  )
}

function CacheCard({ cache }: { readonly cache: NonNullable<Router['embedding_cache']> }) {
  const { t } = useTranslation('router')
  const { stats } = cache
  return (
    <div className="card">
      <header>
        <h2>{t('cache')}</h2>
        <span className="meta">{t('embeddedBy', { model: cache.embedding_model })}</span>
      </header>
      <div className="cardBody stack">
        {stats === undefined ? (
          <Notice>{t('cacheUnused')}</Notice>
        ) : (
          <>
            <dl className="facts">
              <dt>{t('cacheHits')}</dt>
              <dd>{formatNumber(stats.hits)}</dd>
              <dt>{t('cacheMisses')}</dt>
              <dd>{formatNumber(stats.misses)}</dd>
              <dt>{t('cacheNear')}</dt>
              <dd>{formatNumber(stats.near_misses)}</dd>
              <dt>{t('cacheUnsure')}</dt>
              <dd>{formatNumber(stats.low_confidence)}</dd>
              <dt>{t('cacheErrors')}</dt>
              <dd>{formatNumber(stats.embedder_errors + stats.store_errors)}</dd>
              <dt>{t('cacheEntries')}</dt>
              <dd>{formatNumber(stats.entries)}</dd>
            </dl>
            <h3>{t('similarities')}</h3>
            <LabelBars
              rows={stats.similarity_buckets.map((count, index) => ({
                label: `${formatNumber(index / 10, 1)} – ${formatNumber((index + 1) / 10, 1)}`,
                share: count / Math.max(1, ...stats.similarity_buckets),
                text: formatNumber(count),
              }))}
            />
          </>
        )}
      </div>
    </div>
  )
}
