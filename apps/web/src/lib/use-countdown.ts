import { useEffect, useState } from 'react'
import { ApiError } from './api-error.ts'

/** The seconds that the server asks to wait after a failure, counted down to 0. */
export function useCountdown(error: unknown): number {
  const [left, setLeft] = useState(() => Math.ceil(readPauseMs(error) / 1000))
  useEffect(() => {
    const until = Date.now() + readPauseMs(error)
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

function readPauseMs(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0
}
