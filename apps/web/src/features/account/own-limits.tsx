import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { LimitMeters } from '../../components/limits/limit-meters.tsx'
import { sayWindow } from '../../components/limits/limit-words.ts'
import * as styles from '../../components/limits/limits.module.css'
import { QueryView } from '../../components/ui/states.tsx'
import { ownLimitsQuery } from '../../lib/limits.ts'

/** The limits of the viewer's account and groups. */
export function OwnLimits() {
  const { t } = useTranslation('limits')
  const limits = useQuery(ownLimitsQuery)
  return (
    <section className="card" aria-labelledby="account-limits">
      <header>
        <h2 id="account-limits">{t('title')}</h2>
      </header>
      <div className="cardBody">
        <QueryView query={limits} lines={2}>
          {(list) =>
            list.length === 0 ? (
              <p className="muted">{t('noneOwn')}</p>
            ) : (
              <ul className="stack">
                {list.map((limit) => (
                  <li key={limit.id} className={`stack tight ${styles.own}`}>
                    <b className="medium">
                      {t(`subject.${limit.subject_kind}`)}
                      {limit.subject_kind === 'model' && limit.subject_id !== '*' && ` ${limit.subject_id}`}
                      {limit.model !== '' && ` · ${limit.model}`}
                    </b>
                    <span className="meta">
                      {sayWindow(t, limit.window)} · {t(limit.soft ? 'isSoft' : 'isHard')}
                    </span>
                    <LimitMeters limit={limit} />
                  </li>
                ))}
              </ul>
            )
          }
        </QueryView>
      </div>
    </section>
  )
}
