import { type RefObject, useEffect, useRef } from 'react'
import { type MergeHandle, showChanges, showMerge } from './code-mirror.ts'
import * as styles from './model-editor.module.css'

/** The changes from one text to another. */
export function ChangeView({
  before,
  after,
  label,
}: {
  readonly before: string
  readonly after: string
  readonly label: string
}) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(
    () => (host.current === null ? undefined : showChanges(host.current, { before, after, label })),
    [before, after, label],
  )
  return <div className={`${styles.codeEditor} ${styles.changes}`} data-wide-content ref={host} />
}

/** The server's version beside one's own, which is edited. */
export function MergeArea({
  theirs,
  mine,
  labels,
  handle,
}: {
  readonly theirs: string
  readonly mine: string
  readonly labels: { readonly theirs: string; readonly mine: string }
  readonly handle: RefObject<MergeHandle | null>
}) {
  const host = useRef<HTMLDivElement>(null)
  const { theirs: theirLabel, mine: myLabel } = labels
  useEffect(() => {
    if (host.current === null) return undefined
    const merge = showMerge(host.current, { theirs, mine, labels: { theirs: theirLabel, mine: myLabel } })
    handle.current = merge
    return () => {
      handle.current = null
      merge.destroy()
    }
  }, [theirs, mine, theirLabel, myLabel, handle])
  return <div className={`${styles.codeEditor} ${styles.changes}`} data-wide-content ref={host} />
}
