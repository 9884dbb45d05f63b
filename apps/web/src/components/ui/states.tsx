import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiError } from '../../lib/api-error.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatMoment, formatTime } from '../../lib/format.ts'
import { findLongPauseEnd } from '../../lib/pauses.ts'
import { useCountdown } from '../../lib/use-countdown.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Icon, type IconName } from './icon.tsx'
import { Notice } from './notice.tsx'
import * as styles from './states.module.css'

/** Grey lines of the final height, shown after 150 ms. @param lines number of rows in the content */
export function Skeleton({ lines = 3, height = 36 }: { readonly lines?: number; readonly height?: number }) {
  const { t } = useTranslation()
  const [isShown, setShown] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.skeleton} role="status" data-shown={isShown}>
      <span className="visuallyHidden">{t('loading')}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className={styles.skeletonLine} style={{ height }}>
          <div className={styles.skeletonBar} />
        </div>
      ))}
    </div>
  )
}

/** The reason why a list is empty, and the one next step. */
export function EmptyState({
  icon = 'info',
  title,
  children,
  action,
}: {
  readonly icon?: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly action?: ReactNode
}) {
  return (
    <div className={styles.empty}>
      <Icon name={icon} />
      <b>{title}</b>
      {children && <p>{children}</p>}
      {action && <div className="row">{action}</div>}
    </div>
  )
}

/** Shown for a list whose rows do not pass the filters. */
export function NoMatch({ onClear }: { readonly onClear: () => void }) {
  const { t } = useTranslation()
  return (
    <EmptyState
      icon="search"
      title={t('noMatch.title')}
      action={<Button onClick={onClear}>{t('noMatch.clear')}</Button>}
    />
  )
}

/** A failure, in the block that failed: the server's message, the reference to search the log for, and Retry. */
export function ErrorBlock({
  error,
  onRetry,
  title,
  actions,
}: {
  readonly error: unknown
  readonly onRetry?: (() => void) | undefined
  readonly title?: string
  /** More steps beside Retry, such as a link to the trace. */
  readonly actions?: ReactNode
}) {
  const { t } = useTranslation()
  const until = useMemo(() => findLongPauseEnd(error), [error])
  const known = error instanceof ApiError ? error : undefined
  const message = known?.status === 0 ? t('error.unreachable') : error instanceof Error ? error.message : String(error)
  return (
    <Notice
      tone="bad"
      actions={
        <>
          {onRetry && <RetryButton error={error} onRetry={onRetry} />}
          {actions}
          {known?.correlationId && (
            <span className="row meta">
              {t('error.reference')} <code>{known.correlationId}</code>
              <CopyButton text={known.correlationId} label={t('error.copyReference')} />
            </span>
          )}
        </>
      }
    >
      {title && <b>{title} </b>}
      {message}
      {until !== undefined && <p>{t('error.againAt', { time: formatMoment(until) })}</p>}
    </Notice>
  )
}

/** Retry, with a countdown when the server asked for a pause. */
function RetryButton({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) {
  const { t } = useTranslation()
  const left = useCountdown(error)
  return (
    <Button small icon="regenerate" disabled={left > 0} onClick={onRetry}>
      {left > 0 ? t('error.retryIn', { count: left }) : t('retry')}
    </Button>
  )
}

/**
 * A block of server data in its states: loading, failed, and there. Old data stays while it is fetched again, and is
 * marked with its age while the server is away.
 */
export function QueryView<Data>({
  query,
  lines,
  height,
  children,
}: {
  readonly query: UseQueryResult<Data>
  readonly lines?: number
  readonly height?: number
  readonly children: (data: Data) => ReactNode
}) {
  const { t } = useTranslation()
  const { state } = useConnection()
  if (query.data === undefined) {
    if (query.isError) return <ErrorBlock error={query.error} onRetry={() => void query.refetch()} />
    return <Skeleton {...(lines === undefined ? {} : { lines })} {...(height === undefined ? {} : { height })} />
  }
  return (
    <>
      {query.isError && state === 'online' && <ErrorBlock error={query.error} onRetry={() => void query.refetch()} />}
      {state === 'offline' && (
        <p className={`meta ${styles.stale}`}>{t('asOf', { time: formatTime(query.dataUpdatedAt) })}</p>
      )}
      {children(query.data)}
    </>
  )
}
