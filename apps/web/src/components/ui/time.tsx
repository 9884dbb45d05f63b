import { useEffect, useState } from 'react'
import { formatExactTime, formatRelativeTime } from '../../lib/format.ts'

/** A time relative to now; the exact local time and UTC are in the tooltip. */
export function RelativeTime({ time }: { readonly time: number | string }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={new Date(time).toISOString()} title={formatExactTime(time)}>
      {formatRelativeTime(time, now)}
    </time>
  )
}
