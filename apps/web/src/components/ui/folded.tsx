import { type ReactNode, useState } from 'react'

/** One line of a text that opens to more. Nothing of that is drawn while it is folded. */
export function Folded({ line, children }: { readonly line: string; readonly children: () => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="monospace clip">{line}</summary>
      {isOpen && children()}
    </details>
  )
}
