import { useTranslation } from 'react-i18next'
import { Icon } from '../ui/icon.tsx'
import * as styles from './markdown.module.css'

/** Shown in place of a picture on another host: fetching it could reveal the text to that host. */
export function RemotePicture({ address, alt }: { readonly address: string; readonly alt: string }) {
  const { t } = useTranslation()
  const host = URL.canParse(address) ? new URL(address).host : ''
  if (host === '') return <span className="meta">{alt}</span>
  return (
    <a className={styles.farPicture} href={address} target="_blank" rel="noopener noreferrer">
      <Icon name="external" small />
      {t('remotePicture', { host, name: alt })}
    </a>
  )
}
