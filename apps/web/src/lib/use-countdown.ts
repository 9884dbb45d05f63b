import { useEffect, useState } from 'react'
import { MAX_COUNTED_MS, readPauseMs } from './pauses.ts'

/** The seconds that the server asks to wait after a failure, counted down to 0. A long pause is not counted. */
export function useCountdown(error: unknown): number {
  const [left, setLeft] = useState(() => Math.ceil(readCountedMs(error) / 1000))
  useEffect(() => {
    const until = Date.now() + readCountedMs(error)
    const count = () => setLeft(Math.max(0, Math.ceil((until - Date.now()) / 1000)))
    count()
    const timer = setInterval(() => {
      count()
      if (Date.now() >= until) clearInterval(timer)
    }, 250)
    return () => clearInterval(timer)
  }, [error])
  return left
}

function readCountedMs(error: unknown): number {
  const pauseMs = readPauseMs(error)
  return pauseMs > MAX_COUNTED_MS ? 0 : pauseMs
}
