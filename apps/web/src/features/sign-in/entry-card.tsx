import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { useDocumentTitle } from '../../components/ui/page-head.tsx'
import { ProductMark } from '../../components/ui/product-mark.tsx'
import { chooseLanguage, LANGUAGES, type Language } from '../../i18n/index.ts'
import { toUrl } from '../../lib/base-path.ts'
import { brandingQuery, useOwnLogo } from '../../lib/branding.ts'
import { useConnection } from '../../lib/connection.ts'
import { chooseTheme } from '../../lib/theme.ts'
import * as styles from './sign-in.module.css'

/** The one column of the pages before signing in. @param pageTitle the title of the document */
export function EntryCard({
  pageTitle,
  title,
  children,
}: {
  readonly pageTitle: string
  readonly title: string
  readonly children: ReactNode
}) {
  const { t } = useTranslation('sign-in')
  const branding = useQuery(brandingQuery).data
  const { state } = useConnection()
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(title)
  useDocumentTitle(pageTitle)
  useEffect(() => {
    // another form takes the place of the one before, so its heading is read out
    if (shown.current !== title) heading.current?.focus()
    shown.current = title
  }, [title])
  const tagline = branding?.instance_tagline ?? ''
  return (
    <main className={styles.entry} id="main">
      <div className={styles.box}>
        <InstanceMark />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p className={`muted ${styles.subtitle}`}>
          {tagline === '' ? t('serverAt', { host: location.host }) : tagline}
        </p>
        {state === 'offline' && <Notice tone="warn">{t('error.unreachable')}</Notice>}
        {children}
      </div>
      <EntryFooter />
    </main>
  )
}

/** The picture that the admin has set, else the mark of the product. */
function InstanceMark() {
  const logo = useOwnLogo()
  if (logo !== undefined) return <img className={styles.logo} src={logo} alt="" width={40} height={40} />
  return <ProductMark className={`${styles.mark}`} size={20} />
}

function EntryFooter() {
  const { t, i18n } = useTranslation('sign-in')
  const flip = () => chooseTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')
  return (
    <footer className="row meta">
      <SelectFilter
        label={t('language')}
        options={Object.entries(LANGUAGES)}
        value={i18n.language}
        onChange={({ target }) => void chooseLanguage(target.value as Language)}
      />
      <a className={styles.link} href={toUrl('explorer')}>
        {t('about')}
      </a>
      <a className={styles.link} href={toUrl('swagger/index.html')}>
        {t('apiDocs')}
      </a>
      <IconButton small icon="theme" label={t('theme.switch')} onClick={flip} />
    </footer>
  )
}
