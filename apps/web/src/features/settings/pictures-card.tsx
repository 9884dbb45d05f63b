import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, buttonClass } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { toUrl } from '../../lib/base-path.ts'
import { brandingQuery } from '../../lib/branding.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import { MAX_PICTURE_BYTES, PICTURES, type Picture, usePutPicture } from './api.ts'
import * as styles from './settings.module.css'

/** The pictures of this server. They change at once, without the save bar. */
export function PicturesCard() {
  const { t } = useTranslation('settings')
  const branding = useQuery(brandingQuery)
  return (
    <section className="card" aria-labelledby="settings-pictures">
      <header>
        <h2 id="settings-pictures">{t('picture.title')}</h2>
        <span className="meta">{t('picture.about', { size: formatBytes(MAX_PICTURE_BYTES) })}</span>
      </header>
      <QueryView query={branding} lines={3}>
        {(data) => PICTURES.map((kind) => <PictureRow key={kind} kind={kind} url={data[`${kind}_url`]} />)}
      </QueryView>
    </section>
  )
}

function PictureRow({ kind, url }: { readonly kind: Picture; readonly url: string }) {
  const { t } = useTranslation('settings')
  const { state } = useConnection()
  const input = useId()
  const put = usePutPicture()
  const [version, setVersion] = useState(0)
  const [tooLarge, setTooLarge] = useState<number>()
  const isOwn = url.startsWith('/branding/')
  const change = (file: File | undefined) => {
    const isTooLarge = file !== undefined && file.size > MAX_PICTURE_BYTES
    setTooLarge(isTooLarge ? file.size : undefined)
    // the address of a picture stays, so the browser would show the one before
    if (!isTooLarge) put.mutate({ kind, file }, { onSuccess: () => setVersion(Date.now()) })
  }
  return (
    <div className={styles.setting}>
      <div className={styles.settingText}>
        <b className="medium">{t(`picture.${kind}`)}</b>
        <p className="muted">{t(`picture.${kind}About`)}</p>
        {tooLarge !== undefined && (
          <p className={`${fieldStyles.hint} ${fieldStyles.error}`} role="alert">
            {t('picture.tooLarge', { size: formatBytes(tooLarge), limit: formatBytes(MAX_PICTURE_BYTES) })}
          </p>
        )}
        {put.isError && <ErrorBlock error={put.error} />}
      </div>
      <div className={`${styles.settingControl} row wrap`}>
        <img
          className={styles.picture}
          src={`${toUrl(url)}${version === 0 ? '' : `?v=${version}`}`}
          alt={t('picture.now')}
        />
        <label
          className={`${buttonClass('small')} ${styles.file}`}
          htmlFor={input}
          aria-disabled={state === 'offline' || undefined}
        >
          {t('picture.choose')}
          <span className="visuallyHidden">{t(`picture.${kind}`)}</span>
          <input
            id={input}
            type="file"
            className="visuallyHidden"
            accept="image/png,image/jpeg,image/svg+xml,image/webp,image/x-icon"
            disabled={state === 'offline' || put.isPending}
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file !== undefined) change(file)
              target.value = ''
            }}
          />
        </label>
        {isOwn && (
          <Button small disabled={state === 'offline'} busy={put.isPending} onClick={() => change(undefined)}>
            {t('picture.reset')}
          </Button>
        )}
      </div>
    </div>
  )
}
