import { useEffect, useState } from 'react'

/** A value after it has rested for a while, for searches that run while their text is typed. */
export function useDebounced<Value>(value: Value, delayMs = 200): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), delayMs)
    return () => clearTimeout(timer)
  }, [value, delayMs])
  return rested
}
