import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import type { Finding, Span } from './findings.ts'
import * as styles from './pii.module.css'
import { ACTION_CLASSES, createColours } from './type-colours.ts'

/** Every finding, also a finding that lost against another. Excerpts come from the viewer's own text. */
export function EntityTable({
  findings,
  spans,
}: {
  readonly findings: readonly Finding[]
  readonly spans: readonly Span[]
}) {
  const { t } = useTranslation('pii')
  if (findings.length === 0) return null
  const colours = createColours(findings)
  const hasHashes = findings.some(({ hashPrefix }) => hashPrefix !== undefined)
  const winners = new Map(
    spans.flatMap(({ winner, losers }) => losers.map((loser) => [loser.id, winner.type] as const)),
  )
  return (
    <div className="card">
      <header>
        <h3>{t('entities')}</h3>
        <span className="meta">{formatNumber(findings.length)}</span>
      </header>
      <table className="table stacked compact">
        <thead>
          <tr>
            <th scope="col">{t('type')}</th>
            <th scope="col">{t('foundBy')}</th>
            <th scope="col" className="number">
              {t('score')}
            </th>
            <th scope="col">{t('actionHead')}</th>
            {hasHashes && <th scope="col">{t('hash')}</th>}
            <th scope="col">{t('excerpt')}</th>
          </tr>
        </thead>
        <tbody>
          {findings.map(({ id, type, source, score, action, isUnchecked, hashPrefix, excerpt }) => {
            const winner = winners.get(id)
            return (
              <tr key={id}>
                <td className="freeCell mainCell">
                  <span className={`${styles.type} ${colours.get(type)}`}>{type}</span>
                </td>
                <td className={`minorCell muted ${styles.source}`}>{t(`sourceKind.${source}`)}</td>
                <td className="number freeCell minorCell">{formatNumber(score, 2)}</td>
                <td className="freeCell endCell">
                  <span className={`${styles.action} ${ACTION_CLASSES[action] ?? ''}`}>{t(`action.${action}`)}</span>
                  {winner !== undefined && <span className="meta"> {t('under', { type: winner })}</span>}
                </td>
                {hasHashes && <td className="minorCell monospace">{hashPrefix}</td>}
                <td className="minorCell">
                  <span className={`monospace clip ${styles.excerpt}`} title={excerpt}>
                    {excerpt}
                  </span>
                  {isUnchecked && <span className="meta">{t('unchecked')}</span>}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
