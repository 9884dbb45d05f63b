import { useEffect } from 'react'
import { readShortcutsEnabled } from './preferences.ts'

/** Actions of the keys of a list. */
export interface ListKeys {
  /** @param step 1 for `j`, -1 for `k` */
  readonly onStep: (step: 1 | -1) => void
  /** Esc */
  readonly onClose: () => void
}

/** `j` and `k` go through a list, Esc closes its detail. Keys that go into a field or a dialog do nothing. */
export function useListKeys({ onStep, onClose }: ListKeys): void {
  useEffect(() => {
    const onKey = ({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) => {
      if (ctrlKey || metaKey || altKey) return
      if (
        target instanceof HTMLElement &&
        target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]')
      )
        return
      if (key === 'Escape') onClose()
      if (!readShortcutsEnabled()) return
      if (key === 'j') onStep(1)
      if (key === 'k') onStep(-1)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onStep, onClose])
}
