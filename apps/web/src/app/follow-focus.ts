import { useEffect } from 'react'

/** Brings what gets the focus by a key wholly into view; browsers leave what shows an edge where it is. */
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
