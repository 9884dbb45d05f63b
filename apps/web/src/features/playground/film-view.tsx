import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { createFileStamp } from '../../lib/download.ts'
import * as styles from './playground.module.css'

/** A film on the server: a player and the file. */
export function FilmView({ url }: { readonly url: string }) {
  const { t } = useTranslation('playground')
  const [isRefused, setRefused] = useState(false)
  const ending = /\.(\w+)$/.exec(url)?.[1] ?? 'mp4'
  return (
    <div className="card">
      <header>
        <h2>{t('video.film')}</h2>
        <a className={`${buttonClass('small')} push`} href={url} download={`film-${createFileStamp()}.${ending}`}>
          {t('download')}
        </a>
      </header>
      <div className="cardBody stack">
        {isRefused && <Notice>{t('video.notPlayable')}</Notice>}
        {/* biome-ignore lint/a11y/useMediaCaption: models write no captions */}
        <video
          className={styles.player}
          controls
          preload="metadata"
          src={url}
          aria-label={t('video.film')}
          onError={() => setRefused(true)}
        />
      </div>
    </div>
  )
}
