import { useEffect } from 'react'

/** Scrolls an element that gets the focus by a key wholly into view. Browsers do not if an edge of it is visible. */
export function useFollowFocus(): void {
  useEffect(() => {
    const follow = ({ target }: FocusEvent) => {
      if (target instanceof Element && target.matches(':focus-visible')) {
        target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      }
    }
    addEventListener('focusin', follow)
    return () => removeEventListener('focusin', follow)
  }, [])
}
