import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Notice } from '../../components/ui/notice.tsx'
import { Status } from '../../components/ui/status.tsx'
import type { InterceptingProxy } from './api.ts'
import * as styles from './intercept.module.css'

/** The intercepted hosts, each with its models and detectors. */
export function HostTable({ proxy: { hosts, host_conflicts: conflicts } }: { readonly proxy: InterceptingProxy }) {
  const { t } = useTranslation('intercept')
  return (
    <>
      {conflicts.map(({ host, models }) => (
        <Notice key={host} tone="warn">
          {t('conflict', { host, models: models.join(', ') })}
        </Notice>
      ))}
      <div className="card">
        <header>
          <h2>{t('hosts')}</h2>
        </header>
        <table className="table stacked">
          <thead>
            <tr>
              <th scope="col">{t('host')}</th>
              <th scope="col">{t('filter')}</th>
              <th scope="col">{t('models')}</th>
              <th scope="col">{t('detectors')}</th>
            </tr>
          </thead>
          <tbody>
            {hosts.map(({ host, models, detectors, filtered }) => (
              <tr key={host}>
                <td className="mainCell monospace">{host}</td>
                <td className="endCell">
                  <Status tone={filtered ? 'ok' : 'warn'}>{filtered ? t('filtered') : t('unfiltered')}</Status>
                </td>
                <td className="minorCell freeCell">
                  {models.length === 0
                    ? t('byDefault')
                    : models.map((name) => (
                        <Link
                          key={name}
                          className={`mainLink ${styles.model}`}
                          to="/app/models/$name"
                          params={{ name }}
                        >
                          {name}
                        </Link>
                      ))}
                </td>
                <td className="minorCell freeCell">{detectors.length === 0 ? t('none') : detectors.join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}
