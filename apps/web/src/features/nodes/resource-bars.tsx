import { useTranslation } from 'react-i18next'
import { Meter } from '../../components/ui/progress-bar.tsx'
import { formatBytes } from '../../lib/format.ts'
import type { Worker } from '../../lib/workers.ts'
import * as styles from './nodes.module.css'
import { listResources, type Resource } from './worker-figures.ts'

/** From this share on a resource is nearly full. */
const FULL = 0.9

/** Memory and disk of a worker as bars: what is used, what running loads will take, and what is free. */
export function ResourceBars({ worker }: { readonly worker: Worker }) {
  const { t } = useTranslation('nodes')
  const resources = listResources(worker)
  if (resources.length === 0) return <span className="meta">{t('resourcesUnknown')}</span>
  return (
    <ul className={styles.bars}>
      {resources.map((resource) => (
        <ResourceBar key={resource.id} resource={resource} />
      ))}
    </ul>
  )
}

function ResourceBar({ resource: { id, total, free, reserved } }: { readonly resource: Resource }) {
  const { t } = useTranslation('nodes')
  const name = t(`resource.${id}`)
  const values = { free: formatBytes(free), total: formatBytes(total), reserved: formatBytes(reserved) }
  const text = reserved > 0 ? t('freeReserved', values) : t('free', values)
  const used = (total - free) / total
  return (
    <li>
      <span className="meta">{name}</span>
      <span className={styles.level}>
        <Meter share={used} more={reserved / total} label={name} text={text} tone={used >= FULL ? 'bad' : 'c1'} />
      </span>
      <span className="meta">{text}</span>
    </li>
  )
}
