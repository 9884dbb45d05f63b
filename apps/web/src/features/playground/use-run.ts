import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

/** A call that the viewer starts and may stop. */
export interface Run<Input, Reply> {
  readonly reply: Reply | undefined
  /** Undefined for a call that was stopped. */
  readonly error: Error | undefined
  readonly isRunning: boolean
  /** Milliseconds since 1970. */
  readonly startedAt: number
  /** Does nothing while a call runs. */
  readonly start: (input: Input) => void
  readonly stop: () => void
}

/** Runs one call at a time. Leaving the page ends it. */
export function useRun<Input, Reply>(call: (input: Input, signal: AbortSignal) => Promise<Reply>): Run<Input, Reply> {
  const running = useRef<AbortController>(undefined)
  const [startedAt, setStartedAt] = useState(0)
  useEffect(() => () => running.current?.abort(), [])
  const run = useMutation({
    mutationFn: (input: Input) => {
      running.current = new AbortController()
      return call(input, running.current.signal)
    },
  })
  return {
    reply: run.data,
    error: run.error === null || run.error.name === 'AbortError' ? undefined : run.error,
    isRunning: run.isPending,
    startedAt,
    start(input) {
      if (run.isPending) return
      setStartedAt(Date.now())
      run.mutate(input)
    },
    stop: () => running.current?.abort(),
  }
}
