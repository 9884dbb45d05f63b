import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { createFileStamp } from '../../lib/download.ts'
import { formatBytes } from '../../lib/format.ts'
import { useObjectUrl } from '../../lib/media/use-object-url.ts'
import * as styles from './playground.module.css'

/** Ends of file names by media type. */
const ENDINGS: Readonly<Record<string, string>> = {
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/mp4': 'm4a',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
}

/** A sound: a player, where the browser can play it, and the file. */
export function SpeechResult({ sound }: { readonly sound: Blob }) {
  const { t } = useTranslation('playground')
  const url = useObjectUrl(sound)
  const [type = ''] = sound.type.split(';')
  const ending = ENDINGS[type] ?? type.replace('audio/', '')
  const isPlayable = document.createElement('audio').canPlayType(type) !== ''
  return (
    <div className="card">
      <header>
        <h2>{t('speech.sound')}</h2>
        <span className="meta">
          {ending.toUpperCase()}
          <span className="separator" />
          {formatBytes(sound.size)}
        </span>
        <a className={`${buttonClass('small')} push`} href={url} download={`speech-${createFileStamp()}.${ending}`}>
          {t('download')}
        </a>
      </header>
      <div className="cardBody stack">
        {isPlayable ? (
          // biome-ignore lint/a11y/useMediaCaption: the text beside it is what is said
          <audio className={styles.player} controls src={url} aria-label={t('speech.sound')} />
        ) : (
          <Notice>{t('speech.notPlayable')}</Notice>
        )}
      </div>
    </div>
  )
}
