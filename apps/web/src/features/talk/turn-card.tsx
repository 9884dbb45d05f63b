import { useTranslation } from 'react-i18next'
import { formatDuration } from '../../lib/format.ts'
import { listStages, type TurnTimes } from '../../lib/realtime/turn-times.ts'
import * as styles from './talk.module.css'

/** How long each stage of the last turn took, since the end of the viewer's turn. */
export function TurnCard({ times }: { readonly times: TurnTimes | undefined }) {
  const { t } = useTranslation('talk')
  const stages = times === undefined ? [] : listStages(times)
  const longest = Math.max(1, ...stages.map(({ ms }) => ms))
  return (
    <section className="card" aria-labelledby="talk-turn">
      <header>
        <h2 id="talk-turn">{t('turn.title')}</h2>
      </header>
      <div className="cardBody stack tight">
        {stages.length === 0 ? (
          <p className="muted">{t('turn.none')}</p>
        ) : (
          <>
            <dl className={styles.stages}>
              {stages.map(({ stage, ms }) => (
                <div key={stage} data-stage={stage}>
                  <dt>{t(`turn.${stage}`)}</dt>
                  <dd>{formatDuration(ms)}</dd>
                  <dd className={styles.track} aria-hidden="true">
                    <i style={{ width: `${(100 * ms) / longest}%` }} />
                  </dd>
                </div>
              ))}
            </dl>
            <p className="meta">{t('turn.about')}</p>
          </>
        )}
      </div>
    </section>
  )
}
