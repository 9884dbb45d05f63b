import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { saveFile } from '../../lib/download.ts'
import { formatTime } from '../../lib/format.ts'
import { certificateQuery } from './api.ts'
import * as styles from './intercept.module.css'

/** The certificate that clients trust; never its key. */
export function CertificateCard() {
  const { t } = useTranslation('intercept')
  const certificate = useQuery(certificateQuery)
  const { pem } = certificate.data ?? {}
  return (
    <div className="card">
      <header>
        <h2>{t('certificate')}</h2>
        {pem !== undefined && (
          <span className="push">
            <Button small icon="activity" onClick={() => saveFile('svc-ca.crt', pem, 'application/x-pem-file')}>
              {t('download')}
            </Button>
          </span>
        )}
      </header>
      <div className="cardBody stack">
        <QueryView query={certificate}>
          {({ fingerprint, from, until }) => (
            <>
              {until.getTime() < Date.now() && <Notice tone="bad">{t('expired')}</Notice>}
              <dl className="facts">
                <dt>SHA-256</dt>
                <dd>
                  {fingerprint === undefined ? (
                    t('noHash')
                  ) : (
                    <span className={styles.hash}>
                      <code>{fingerprint}</code> <CopyButton text={fingerprint} label={t('copyFingerprint')} />
                    </span>
                  )}
                </dd>
                <dt>{t('validFrom')}</dt>
                <dd>{formatTime(from)}</dd>
                <dt>{t('validUntil')}</dt>
                <dd>
                  {formatTime(until)}{' '}
                  <span className="meta">
                    (<RelativeTime time={until.toISOString()} />)
                  </span>
                </dd>
              </dl>
              <p className="meta">{t('certificateAbout')}</p>
            </>
          )}
        </QueryView>
      </div>
    </div>
  )
}
