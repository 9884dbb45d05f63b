import { useEffect } from 'react'
import { checkHealth, readConnection } from '../lib/connection.ts'

/** A page that is looked at notices within this time that the server is away. */
const INTERVAL_MS = 5_000

/** Looks after the server while the page is visible. Other requests of the page count as looks; hidden pages send none. */
export function useHeartbeat(): void {
  useEffect(() => {
    const timer = setInterval(() => {
      const { state, lastReplyAt } = readConnection()
      const isDue = Date.now() - lastReplyAt >= INTERVAL_MS - 250
      if (document.visibilityState === 'visible' && state === 'online' && isDue) void checkHealth()
    }, INTERVAL_MS)
    return () => clearInterval(timer)
  }, [])
}
