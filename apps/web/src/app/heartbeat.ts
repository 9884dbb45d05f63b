import { useEffect } from 'react'
import { checkHealth, readConnection } from '../lib/connection.ts'

/**
 * A page that is looked at notices within about this time that the server is away. It is a little longer than the pause
 * between the requests of pages that poll, so that those count as looks.
 */
const MAX_SILENCE_MS = 5_200
const MIN_PAUSE_MS = 1_000

/** Looks after the server while the page is visible. Other requests of the page count as looks; hidden pages send none. */
export function useHeartbeat(): void {
  useEffect(() => {
    const readSilenceMs = () => Date.now() - readConnection().lastReplyAt
    let timer: ReturnType<typeof setTimeout>
    const plan = () => {
      timer = setTimeout(look, Math.max(MIN_PAUSE_MS, MAX_SILENCE_MS - readSilenceMs()))
    }
    const look = () => {
      const isWatched = document.visibilityState === 'visible' && readConnection().state === 'online'
      if (isWatched && readSilenceMs() >= MAX_SILENCE_MS) void checkHealth()
      plan()
    }
    plan()
    return () => clearTimeout(timer)
  }, [])
}
