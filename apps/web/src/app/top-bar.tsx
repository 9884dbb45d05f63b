import { Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass, IconButton } from '../components/ui/button.tsx'
import { Icon } from '../components/ui/icon.tsx'
import { lazyPart } from '../lib/lazy-part.ts'
import { openPalette, type PaletteView, setPaletteHost } from '../lib/palette.ts'
import { useSession } from '../lib/session.ts'
import { chooseTheme } from '../lib/theme.ts'
import * as styles from './top-bar.module.css'

const AccountMenu = lazyPart(async () => (await import('./account-menu.tsx')).AccountMenu)
const AdminTools = lazyPart(async () => (await import('./admin-tools.tsx')).AdminTools)
const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette)

/** Search, operations, theme and account. Menus and the palette load after the first paint. */
export function TopBarTools() {
  const { t } = useTranslation()
  const { viewer } = useSession()
  const [palette, setPalette] = useState<PaletteView>()
  useEffect(() => setPaletteHost(setPalette), [])
  const initial = (viewer.name || viewer.email || '?').slice(0, 1).toUpperCase()
  return (
    <>
      <button
        type="button"
        className={styles.find}
        aria-label={`${t('palette.open')} Ctrl K`}
        onClick={() => openPalette('commands')}
      >
        <Icon name="search" />
        <span className="grow">{t('palette.open')}</span> <kbd>Ctrl K</kbd>
      </button>
      {viewer.isAdmin && (
        <Suspense>
          <AdminTools />
        </Suspense>
      )}
      <ThemeButton />
      <Suspense
        fallback={
          <span className={buttonClass('ghost', 'iconOnly')} aria-hidden="true">
            <span className={styles.avatar}>{initial}</span>
          </span>
        }
      >
        <AccountMenu initial={initial} />
      </Suspense>
      {palette && (
        <Suspense>
          <Palette view={palette} onClose={() => setPalette(undefined)} />
        </Suspense>
      )}
    </>
  )
}

/** Goes from light to dark and back; the account menu has `system` too. */
function ThemeButton() {
  const { t } = useTranslation()
  const flip = () => chooseTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark')
  return <IconButton icon="theme" label={t('theme.switch')} onClick={flip} />
}
