import { useEffect } from 'react'
import type { Talk } from '../../lib/realtime/talk.ts'

/** Elements that take the Space key themselves. */
const TAKES_SPACE = 'input, textarea, select, button, a, summary, audio, video, [contenteditable], [role="dialog"] *'

/** Holding Space speaks, unless a control has the focus; Esc ends the answer. */
export function useTalkKeys(talk: Talk, isLive: boolean): void {
  useEffect(() => {
    if (!isLive) return undefined
    const isFree = ({ target }: KeyboardEvent) => !(target instanceof Element && target.closest(TAKES_SPACE) !== null)
    const onDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && document.querySelector('[role="dialog"]') === null) {
        talk.interrupt()
      }
      if (event.code !== 'Space' || event.ctrlKey || event.metaKey || event.altKey || !isFree(event)) return
      // the page would scroll
      event.preventDefault()
      if (!event.repeat) talk.hold()
    }
    const onUp = ({ code }: KeyboardEvent) => code === 'Space' && talk.release()
    const release = () => talk.release()
    addEventListener('keydown', onDown)
    addEventListener('keyup', onUp)
    addEventListener('blur', release)
    return () => {
      removeEventListener('keydown', onDown)
      removeEventListener('keyup', onUp)
      removeEventListener('blur', release)
    }
  }, [talk, isLive])
}
