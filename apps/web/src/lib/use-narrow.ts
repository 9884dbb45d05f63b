import { useSyncExternalStore } from 'react'

const narrow = globalThis.matchMedia?.('(max-width: 639.98px)')

function subscribe(listener: () => void): () => void {
  narrow?.addEventListener('change', listener)
  return () => narrow?.removeEventListener('change', listener)
}

/** Whether the page is narrower than 640 px: one column, with filters in a sheet. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow?.matches === true)
}
