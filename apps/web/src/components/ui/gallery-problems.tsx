import { useTranslation } from 'react-i18next'
import { Notice } from './notice.tsx'

/** A gallery as lists name it. */
export interface ListedGallery {
  readonly name: string
  readonly error?: string | undefined
  readonly warnings?: readonly string[] | undefined
}

/** Faults of entries that are shown for each gallery. */
const SHOWN = 3

/** Says which galleries cannot be read, and which entries have faults. */
export function GalleryProblems({ galleries }: { readonly galleries: readonly ListedGallery[] }) {
  const { t } = useTranslation()
  const lines = galleries.flatMap(({ name, error, warnings = [] }) => {
    const more = warnings.length > SHOWN ? ['…'] : []
    const found = [...(error === undefined ? [] : [error]), ...warnings.slice(0, SHOWN), ...more]
    return found.map((problem) => `${name}: ${problem}`)
  })
  if (lines.length === 0) return null
  const isUnreadable = galleries.some(({ error }) => error !== undefined)
  return (
    <Notice tone="warn">
      <b>{t(isUnreadable ? 'gallery.unreadable' : 'gallery.faulty')}</b>
      <ul className="problemList">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </Notice>
  )
}
