import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { findLine, type LogLine } from '../../lib/backend-log/log-lines.ts'
import { formatClock, formatNumber, isOtherDay } from '../../lib/format.ts'
import { textScale } from '../../lib/text-size.ts'
import * as styles from './logs.module.css'
import type { TIMES } from './search.ts'

const LINE_HEIGHT = 20 * textScale
/** Pixels from the end that count as the end. */
const NEAR = 24

/** Follows the end of a log until the reader leaves it, and keeps the lines that the reader looks at in view. */
function useLogScroll({
  lines,
  wrap,
  time,
  startAt,
}: {
  readonly lines: readonly LogLine[]
  readonly wrap: boolean
  readonly time: (typeof TIMES)[number]
  readonly startAt: number | undefined
}) {
  const box = useRef<HTMLElement>(null)
  const start = startAt === undefined ? -1 : lines.findIndex(({ timestamp }) => Date.parse(timestamp) >= startAt)
  const [isFollowing, setFollowing] = useState(start < 0)
  /** Number of the newest line that the reader has seen. */
  const [seen, setSeen] = useState(lines.at(-1)?.number ?? -1)
  const last = lines.at(-1)?.number ?? -1
  const virtualizer = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => LINE_HEIGHT,
    getItemKey: (index) => lines[index]?.number ?? index,
    overscan: 20,
  })
  const scroll = useRef(virtualizer.scrollToIndex)
  scroll.current = virtualizer.scrollToIndex

  useEffect(() => {
    if (start >= 0) scroll.current(start, { align: 'start' })
  }, [])
  useEffect(() => {
    if (!isFollowing || lines.length === 0) return
    scroll.current(lines.length - 1, { align: 'end' })
    setSeen(last)
  }, [isFollowing, lines.length, last])
  useEffect(() => virtualizer.measure(), [wrap, time])

  // the oldest lines are dropped at some time: the lines that the reader looks at stay in place
  const anchor = useRef<{ readonly number: number; readonly index: number }>(undefined)
  useLayoutEffect(() => {
    const element = box.current
    const kept = anchor.current
    if (isFollowing || wrap || element === null || kept === undefined) return
    const index = findLine(lines, kept.number)
    if (index === kept.index) return
    anchor.current = { number: kept.number, index }
    element.scrollTop += (index - kept.index) * LINE_HEIGHT
  }, [lines, isFollowing, wrap])

  const onScroll = ({ currentTarget }: React.UIEvent<HTMLElement>) => {
    const { scrollTop, scrollHeight, clientHeight } = currentTarget
    const index = Math.floor(scrollTop / LINE_HEIGHT)
    const number = lines[index]?.number
    anchor.current = number === undefined ? undefined : { number, index }
    const isAtEnd = scrollHeight - clientHeight - scrollTop <= NEAR
    if (isAtEnd) setFollowing(true)
  }
  const leaveEnd = () => {
    const element = box.current
    if (element !== null && element.scrollHeight > element.clientHeight) setFollowing(false)
  }
  const onKeyDown = ({ key }: React.KeyboardEvent) => {
    if (['ArrowUp', 'PageUp', 'Home'].includes(key)) leaveEnd()
    if (key === 'End') setFollowing(true)
  }
  return { box, virtualizer, isFollowing, setFollowing, seen, leaveEnd, onScroll, onKeyDown }
}

/**
 * The lines of a log; the ones in view are in the page. The view follows the end until the reader scrolls up, and
 * counts the new lines then.
 *
 * @param startAt begins at the first line of this time or later instead of the end
 */
export function LogView({
  lines,
  wrap,
  time,
  startAt,
  isAnnounced,
}: {
  readonly lines: readonly LogLine[]
  readonly wrap: boolean
  readonly time: (typeof TIMES)[number]
  readonly startAt: number | undefined
  readonly isAnnounced: boolean
}) {
  const { t } = useTranslation('logs')
  const { box, virtualizer, isFollowing, setFollowing, seen, leaveEnd, onScroll, onKeyDown } = useLogScroll({
    lines,
    wrap,
    time,
    startAt,
  })
  const waiting = isFollowing ? 0 : lines.reduceRight((count, { number }) => (number > seen ? count + 1 : count), 0)
  return (
    <div className={styles.frame}>
      <ScrollRegion
        ref={box}
        className={wrap ? `${styles.log} ${styles.isWrapped}` : styles.log}
        role="log"
        aria-live={isAnnounced ? 'polite' : 'off'}
        aria-label={t('log')}
        onScroll={onScroll}
        onWheel={({ deltaY }) => deltaY < 0 && leaveEnd()}
        onTouchMove={leaveEnd}
        onPointerDown={({ target, currentTarget }) => target === currentTarget && leaveEnd()}
        onKeyDown={onKeyDown}
      >
        <div className={styles.room} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ key, index, start: top }) => {
            const line = lines[index]
            return line === undefined ? null : (
              <div
                key={key}
                data-index={index}
                ref={wrap ? virtualizer.measureElement : undefined}
                className={styles.line}
                style={{ transform: `translateY(${top}px)` }}
              >
                <LogLineText line={line} time={time} />
              </div>
            )
          })}
        </div>
      </ScrollRegion>
      <div className={styles.more} role="status">
        {!isFollowing && (
          <Button small icon="chevron-down" onClick={() => setFollowing(true)}>
            {waiting === 0 ? t('follow') : t('newLines', { count: waiting, shown: formatNumber(waiting) })}
          </Button>
        )}
      </div>
    </div>
  )
}

/** The time and the text of a line, or the number of lines that are missing. */
function LogLineText({ line, time }: { readonly line: LogLine; readonly time: (typeof TIMES)[number] }) {
  const { t } = useTranslation('logs')
  return (
    <>
      {time !== 'none' && (
        <time dateTime={line.timestamp}>
          {time === 'exact' ? line.timestamp : formatClock(line.timestamp, { day: isOtherDay(line.timestamp) })}
        </time>
      )}
      {line.missed === undefined ? (
        <>
          {line.stream === 'stderr' && <span className={styles.errorMark}>{t('stderr')}</span>}
          <span className={styles.text}>{line.text}</span>
        </>
      ) : (
        <span className={`${styles.text} faint`}>{t('missed', { count: line.missed })}</span>
      )}
    </>
  )
}
