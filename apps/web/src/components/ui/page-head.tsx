import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { useInstanceName } from '../../lib/branding.ts'
import * as styles from './page-head.module.css'

let isFirstPage = true

let shownTitle = ''
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The title of the page that is open, for the frame around it. */
export function usePageTitle(): string {
  return useSyncExternalStore(subscribe, () => shownTitle)
}

/** Sets the title of the document: the view, then the server. Pages with a {@link PageHead} have it already. */
export function useDocumentTitle(title: string): void {
  const instance = useInstanceName()
  useEffect(() => {
    document.title = `${title} - ${instance}`
    shownTitle = title
    for (const listener of listeners) listener()
  }, [title, instance])
}

/** The head of a page: its one `h1`, the document's title, and the focus after a change of page. */
export function PageHead({
  title,
  children,
  isHidden = false,
}: {
  readonly title: string
  readonly children?: ReactNode
  readonly isHidden?: boolean
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useDocumentTitle(title)
  useEffect(() => {
    // the first page keeps the focus of the browser, so that the skip link comes first
    if (!isFirstPage) heading.current?.focus({ preventScroll: true })
    isFirstPage = false
  }, [])
  const text = (
    <h1 ref={heading} tabIndex={-1} className={isHidden ? 'visuallyHidden' : ''}>
      {title}
    </h1>
  )
  if (isHidden) return text
  return (
    <div className={styles.head} data-page-head>
      {text}
      {children}
    </div>
  )
}
