import { useSyncExternalStore } from 'react'
import { toRem } from './text-size.ts'

const narrow = globalThis.matchMedia?.(`(max-width: ${toRem(639.98)})`)

function subscribe(listener: () => void): () => void {
  narrow?.addEventListener('change', listener)
  return () => narrow?.removeEventListener('change', listener)
}

/** Whether the page is narrower than 640 px at the usual size of letters: one column, with filters in a sheet. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow?.matches === true)
}
