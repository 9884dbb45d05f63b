import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Caption, type Entry, readCaption } from '../../lib/realtime/entries.ts'

const isOver = ({ state }: Caption) => state !== 'open'

/**
 * Tells screen readers each finished caption once: what the viewer has said, and answers that are text. Answers that
 * are heard are not repeated.
 */
export function Announcer({ entries }: { readonly entries: readonly Entry[] }) {
  const { t } = useTranslation('talk')
  const [said, setSaid] = useState('')
  const told = useRef<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const over = entries.filter((entry) => entry.kind === 'caption').filter(isOver)
    const news = over.filter(
      ({ id, role, isSpoken }) => !told.current.has(id) && (role === 'user' ? isSpoken : !isSpoken),
    )
    told.current = new Set(over.map(({ id }) => id))
    const text = news
      .map((caption) => [t(`role.${caption.role}`), readCaption(caption)] as const)
      .filter(([, words]) => words !== '')
      .map(([name, words]) => `${name}: ${words}`)
      .join(' ')
    if (text !== '') setSaid(text)
  }, [entries, t])
  return (
    <div className="visuallyHidden" role="status" data-announced>
      {said}
    </div>
  )
}
