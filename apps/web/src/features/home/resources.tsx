import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Meter } from '../../components/ui/progress-bar.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { formatBytes, formatPercent, formatTime } from '../../lib/format.ts'
import { resourcesQuery } from '../../lib/server-state.ts'
import * as styles from './home.module.css'

/** From this level on a disk counts as full. */
const FULL_DISK = 0.95

/** Memory of graphics cards, memory, processor and disk. Levels are neutral; only a full disk stands out. */
export function Resources() {
  const { t } = useTranslation('home')
  const query = useQuery(resourcesQuery)
  return (
    <section className="card">
      <header>
        <h2>{t('resources.title')}</h2>
        {query.data && <span className="meta push">{t('common:asOf', { time: formatTime(query.dataUpdatedAt) })}</span>}
      </header>
      <QueryView query={query} lines={3}>
        {({ gpus, ram, cpu, disk }) => (
          <ul className={`cardBody ${styles.gauges}`}>
            {gpus.map(({ index, used_vram, total_vram }) => (
              <Level key={index} name={t('resources.gpu', { index })} used={used_vram} total={total_vram} />
            ))}
            {ram && <Level name={t('resources.ram')} used={ram.used} total={ram.total} />}
            <li>
              <div className="row">
                <span>{t('resources.cpu', { count: cpu.logical_cores })}</span>
                <span className="push muted">
                  {cpu.usage_percent === undefined ? t('resources.measuring') : formatPercent(cpu.usage_percent / 100)}
                </span>
              </div>
              <Meter
                label={t('resources.cpu', { count: cpu.logical_cores })}
                share={(cpu.usage_percent ?? 0) / 100}
                text={
                  cpu.usage_percent === undefined ? t('resources.measuring') : formatPercent(cpu.usage_percent / 100)
                }
              />
            </li>
            {disk && (
              <Level
                name={t('resources.disk')}
                used={disk.total - disk.available}
                total={disk.total}
                tone={disk.total - disk.available >= FULL_DISK * disk.total ? 'bad' : 'mute'}
              />
            )}
          </ul>
        )}
      </QueryView>
    </section>
  )
}

function Level({
  name,
  used,
  total,
  tone = 'mute',
}: {
  readonly name: string
  readonly used: number
  readonly total: number
  readonly tone?: 'mute' | 'bad'
}) {
  const { t } = useTranslation('home')
  const text = t('resources.of', { used: formatBytes(used), total: formatBytes(total) })
  return (
    <li>
      <div className="row">
        <span>{name}</span>
        <span className="push muted">{text}</span>
      </div>
      <Meter label={name} share={total === 0 ? 0 : used / total} text={text} tone={tone} />
    </li>
  )
}
