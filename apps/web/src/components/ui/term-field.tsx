import { useEffect, useRef, useState } from 'react'
import { useDebounced } from '../../lib/use-debounced.ts'
import { SearchField } from './field.tsx'
import * as listDetailStyles from './list-detail.module.css'

/** The search term, which goes into the address once typing rests. */
export function TermField({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly onChange: (term: string) => void
}) {
  const [text, setText] = useState(value)
  const rested = useDebounced(text)
  const sent = useRef(value)
  // The address may change on its own, such as by Clear filters. An echo of the typed text changes nothing.
  useEffect(() => {
    if (value !== sent.current) setText(value)
    sent.current = value
  }, [value])
  useEffect(() => {
    if (rested !== text || rested === sent.current) return
    sent.current = rested
    onChange(rested)
  }, [rested, text, onChange])
  return (
    <div className={listDetailStyles.search}>
      <SearchField label={label} value={text} onChange={setText} />
    </div>
  )
}
