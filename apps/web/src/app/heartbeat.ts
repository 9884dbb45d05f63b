import { useEffect } from 'react'
import { checkHealth, readConnection } from '../lib/connection.ts'

/** A page that is looked at notices within about this time that the server is away. */
const MAX_SILENCE_MS = 4_500
const TICK_MS = 1_000

/** Looks after the server while the page is visible. Other requests of the page count as looks; hidden pages send none. */
export function useHeartbeat(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      const { state, lastReplyAt } = readConnection()
      const isDue = Date.now() - lastReplyAt >= MAX_SILENCE_MS
      if (document.visibilityState === 'visible' && state === 'online' && isDue) void checkHealth()
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [])
}
