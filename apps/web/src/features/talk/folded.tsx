import { useState } from 'react'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'

/** Characters that are drawn of a long text. */
const SHOWN = 20_000
/** Characters of the folded line. */
const LINE = 120

/** A text in one line that opens to all of it; JSON is laid out. */
export function Folded({ label, text }: { readonly label: string; readonly text: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="monospace clip">
        {label}: {text.slice(0, LINE)}
      </summary>
      {isOpen && <ScrollRegion as="pre">{layOut(text).slice(0, SHOWN)}</ScrollRegion>}
    </details>
  )
}

function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
