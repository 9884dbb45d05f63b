import { useEffect, useState } from 'react'

/** The time in milliseconds, renewed while it is wanted. */
export function useNow(isRunning: boolean, stepMs = 250): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!isRunning) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), stepMs)
    return () => clearInterval(timer)
  }, [isRunning, stepMs])
  return now
}
