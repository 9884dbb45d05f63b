import { useEffect, useRef, useState } from 'react'

/**
 * The text of a field whose value is kept elsewhere, such as in the address: it follows every key at once, and is
 * handed on when it has rested.
 *
 * @param value the kept value; when it changes by other means, the field follows
 */
export function useSettledText(
  value: string,
  onSettle: (text: string) => void,
  delayMs = 200,
): readonly [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value)
  const known = useRef(value)
  const settle = useRef(onSettle)
  settle.current = onSettle
  useEffect(() => {
    if (value === known.current) return
    known.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (text === known.current) return undefined
    const timer = setTimeout(() => {
      known.current = text
      settle.current(text)
    }, delayMs)
    return () => clearTimeout(timer)
  }, [text, delayMs])
  return [text, setText]
}
