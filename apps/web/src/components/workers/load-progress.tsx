import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatDuration, formatPercent } from '../../lib/format.ts'
import { modelLoadQuery } from '../../lib/model-load.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { Status } from '../ui/status.tsx'

/** How far a model is on its way into memory: its state, its worker and the time that is left. Empty while it is not. */
export function LoadProgress({ model }: { readonly model: string }) {
  const { t } = useTranslation('nodes')
  const load = useQuery(modelLoadQuery(model)).data
  if (load === undefined || load === null) return null
  const { state, node, progress, eta_seconds: seconds } = load
  // a load has no progress before its files are counted
  const share = progress > 0 ? progress : undefined
  const facts = [
    ...(node === undefined ? [] : [node]),
    ...(share === undefined ? [] : [formatPercent(share)]),
    ...(seconds === undefined ? [] : [t('load.left', { time: formatDuration(seconds * 1_000) })]),
  ]
  return (
    <section className="stack tight" aria-label={t('load.title')}>
      <p className="row wrap">
        <Status tone="run">{t(`load.${state}`)}</Status>
        {facts.length > 0 && <span className="meta">{facts.join(' · ')}</span>}
      </p>
      <ProgressBar
        share={share}
        label={t('load.of', { model })}
        text={share === undefined ? t(`load.${state}`) : formatPercent(share)}
      />
    </section>
  )
}
