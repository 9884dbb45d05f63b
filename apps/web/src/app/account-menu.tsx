import { useNavigate } from '@tanstack/react-router'
import { useState, useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { Menu, type MenuEntry } from '../components/ui/menu.tsx'
import { SignOutDialog } from '../components/ui/sign-out-dialog.tsx'
import { chooseLanguage, LANGUAGES, type Language } from '../i18n/index.ts'
import { openPalette } from '../lib/palette.ts'
import { useSession } from '../lib/session.ts'
import { chooseTheme, readTheme, type Theme } from '../lib/theme.ts'
import { useVisiblePages } from './navigation.tsx'
import * as topBarStyles from './top-bar.module.css'

const THEMES: readonly Theme[] = ['light', 'dark', 'system']

/** Calls a listener after each choice of a theme, which always marks the document. @returns a function that ends it */
function watchTheme(listener: () => void): () => void {
  const observer = new MutationObserver(listener)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}

/** The viewer's account, the choices of this browser, and the way out. */
export function AccountMenu({ initial }: { readonly initial: string }) {
  const { t, i18n } = useTranslation()
  const navigate = useNavigate()
  const { viewer } = useSession()
  const pages = useVisiblePages()
  const chosenTheme = useSyncExternalStore(watchTheme, readTheme)
  const account = pages.find(({ id }) => id === 'account')
  const [isLeaving, setLeaving] = useState(false)
  const entries: MenuEntry[] = [
    ...(account === undefined
      ? []
      : [
          {
            id: 'account',
            text: t('nav.account'),
            icon: 'users' as const,
            onSelect: () => void navigate({ to: '/app/account' as '/app' }),
          },
        ]),
    ...THEMES.map((theme, index) => ({
      id: theme,
      text: t(`theme.${theme}`),
      icon: 'theme' as const,
      separator: index === 0,
      isChosen: theme === chosenTheme,
      onSelect: () => chooseTheme(theme),
    })),
    ...(Object.entries(LANGUAGES) as [Language, string][]).map(([language, text], index) => ({
      id: language,
      text,
      icon: 'globe' as const,
      separator: index === 0,
      isChosen: language === i18n.language,
      onSelect: () => void chooseLanguage(language),
    })),
    { id: 'keys', text: t('palette.keys'), icon: 'info', separator: true, onSelect: () => openPalette('keys') },
    ...(viewer.kind === 'open'
      ? []
      : [{ id: 'logout', text: t('signOut'), icon: 'logout' as const, onSelect: () => setLeaving(true) }]),
  ]
  const name = viewer.kind === 'open' ? t('account.local') : viewer.name || viewer.email
  return (
    <>
      <Menu
        label={t('account.menu', { name })}
        button={
          <span className={topBarStyles.avatar} aria-hidden="true">
            {initial}
          </span>
        }
        entries={entries}
      />
      {isLeaving && <SignOutDialog onClose={() => setLeaving(false)} />}
    </>
  )
}
