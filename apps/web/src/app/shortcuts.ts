import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { openPalette } from '../lib/palette.ts'
import { readShortcutsEnabled } from '../lib/preferences.ts'
import { PAGES } from './pages.ts'

/** Keys that act on every page: Ctrl+K, Ctrl+Shift+O, `/`, `?` and `g` with a letter. Single letters can be switched off. */
export function useShortcuts(): void {
  const navigate = useNavigate()
  useEffect(() => {
    let isGoing = false
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return openPalette('commands')
      }
      if ((event.ctrlKey || event.metaKey) && event.shiftKey && event.key.toLowerCase() === 'o') {
        event.preventDefault()
        return void navigate({ to: '/app/chat' })
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || !readShortcutsEnabled())
        return undefined
      const wasGoing = isGoing
      isGoing = event.key === 'g' && !wasGoing
      if (wasGoing) {
        const page = PAGES.find(({ key }) => key === event.key)
        if (page !== undefined) void navigate({ to: `/app/${page.path}` as '/app' })
        return undefined
      }
      if (event.key === '?') return openPalette('keys')
      const search = event.key === '/' ? document.querySelector<HTMLElement>('[data-page-search]') : null
      if (search !== null) {
        event.preventDefault()
        search.focus()
      }
      return undefined
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
}

/** Whether keys go into a field, an editor or an open dialog. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role="dialog"], [role="menu"]') !== null)
  )
}
