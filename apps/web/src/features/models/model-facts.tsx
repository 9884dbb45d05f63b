import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type InstalledModel, middlewareQuery } from '../../lib/server-state.ts'
import { knowledgeQuery } from './api.ts'
import { readKnowledge } from './knowledge.ts'

/** The server's knowledge of an installed model. */
export function ModelFacts({ model: { id, source } }: { readonly model: InstalledModel }) {
  const { t } = useTranslation('models')
  const shown = useQuery(knowledgeQuery(id)).data
  const policy = useQuery(middlewareQuery).data?.pii.models.find(({ name }) => name === id)
  const known = shown ? readKnowledge(shown) : undefined
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['source', t(`fact.sourceName.${source ?? 'yaml'}`, { defaultValue: source })],
    ['family', known?.family],
    ['format', known?.format],
    ['parameters', known?.parameters],
    ['quantization', known?.quantization],
    ['context', known?.context && t('fact.tokens', { size: formatNumber(known.context) })],
    ['template', known && t(known.hasTemplate ? 'fact.yes' : 'fact.no')],
    ['filter', policy && <PolicyFact isOn={policy.enabled} detectors={policy.detectors} />],
    ['changed', known?.modifiedAt && <RelativeTime time={known.modifiedAt} />],
  ]
  return (
    <section aria-label={t('fact.title')}>
      <h3>{t('fact.title')}</h3>
      <dl className="facts">
        {rows.map(([name, value]) =>
          value === undefined || value === '' || value === null ? null : (
            <div key={name} className="factRow">
              <dt>{t(`fact.${name}`)}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </section>
  )
}

function PolicyFact({ isOn, detectors }: { readonly isOn: boolean; readonly detectors: readonly string[] }) {
  const { t } = useTranslation('models')
  return (
    <>
      {isOn ? t('fact.filterOn', { detectors: detectors.join(', ') }) : t('fact.filterOff')}{' '}
      <Link to={'/app/pii' as '/app'}>{t('fact.filterPage')}</Link>
    </>
  )
}
