import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { Status } from '../../components/ui/status.tsx'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import type { Verdict } from './api.ts'
import * as styles from './nodes.module.css'

/** What a placement says of each worker. @param chosen id of the worker that it chose */
export function VerdictTable({
  verdicts,
  chosen,
}: {
  readonly verdicts: readonly Verdict[]
  readonly chosen: string | undefined
}) {
  const { t } = useTranslation('nodes')
  return (
    <div className={`card ${styles.cut}`}>
      <ScrolledTable label={t('placement.next')} className={`table stacked ${styles.verdicts}`}>
        <thead>
          <tr>
            <th scope="col">{t('column.node')}</th>
            <th scope="col">{t('placement.verdict')}</th>
            <th scope="col">{t('placement.reasons')}</th>
            <th scope="col" className="number">
              {t('placement.freeMemory')}
            </th>
            <th scope="col" className="number">
              {t('column.models')}
            </th>
            <th scope="col" className="number">
              {t('column.requests')}
            </th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map((verdict) => (
            <Row key={verdict.node_id} verdict={verdict} isChosen={verdict.node_id === chosen} />
          ))}
        </tbody>
      </ScrolledTable>
    </div>
  )
}

function Row({ verdict, isChosen }: { readonly verdict: Verdict; readonly isChosen: boolean }) {
  const { t } = useTranslation('nodes')
  const { node_id, node_name, free_memory, replicas, in_flight } = verdict
  return (
    <tr aria-selected={isChosen || undefined}>
      <td className="mainCell freeCell">
        <Link className="mainLink medium" to="/app/nodes/node/$id" params={{ id: node_id }}>
          {node_name}
        </Link>
      </td>
      <td className="freeCell endCell">
        <VerdictWord verdict={verdict} isChosen={isChosen} />
      </td>
      <td className={`freeCell minorCell ${styles.reasons}`}>
        <Reasons verdict={verdict} />
      </td>
      <td className="number freeCell minorCell">
        <span className={styles.name}>{t('placement.freeMemory')}</span>{' '}
        {free_memory === undefined ? t('unknown') : formatBytes(free_memory)}
      </td>
      <td className="number freeCell minorCell">
        <span className={styles.name}>{t('column.models')}</span> {formatNumber(replicas)}
      </td>
      <td className="number freeCell minorCell">
        <span className={styles.name}>{t('column.requests')}</span> {formatNumber(in_flight)}
      </td>
    </tr>
  )
}

function VerdictWord({
  verdict: { possible, busy },
  isChosen,
}: {
  readonly verdict: Verdict
  readonly isChosen: boolean
}) {
  const { t } = useTranslation('nodes')
  if (isChosen) return <Status tone="ok">{t('placement.isChosen')}</Status>
  if (possible) return <Status>{t('placement.possible')}</Status>
  if (busy) return <Status tone="run">{t('placement.busy')}</Status>
  return <Status tone="bad">{t('placement.refused')}</Status>
}

/** Filters that the interface has a word for. */
const FILTERS = ['kind', 'status', 'excluded', 'selector', 'slot', 'spread', 'group', 'disk', 'memory'] as const

/** Everything that spoke against a worker, and what has to go first there. The server words the details. */
function Reasons({ verdict: { refusals, warnings, evictions } }: { readonly verdict: Verdict }) {
  const { t } = useTranslation('nodes')
  const name = (filter: string) => {
    const known = FILTERS.find((each) => each === filter)
    return known === undefined ? filter : t(`placement.filter.${known}`)
  }
  return (
    <ul>
      {refusals.map(({ filter, detail }) => (
        <li key={filter}>
          <span className="medium">{name(filter)}</span> <span lang="en">{detail}</span>
        </li>
      ))}
      {warnings.map(({ filter, detail }) => (
        <li key={filter}>
          <span className="medium">{t('placement.warning', { filter: name(filter) })}</span>{' '}
          <span lang="en">{detail}</span>
        </li>
      ))}
      {evictions.length > 0 && (
        <li>{t('placement.evicts', { models: evictions.map(({ model_name }) => model_name).join(', ') })}</li>
      )}
    </ul>
  )
}
