import { checkHealth, onRecovery } from '../lib/connection.ts'

const STORED = 'svc-reloaded-at'
const PAUSE_MS = 10_000

/** Whether an error says that a part of the interface is gone, because the server was upgraded since this page loaded. */
export function isStaleChunk(error: unknown): boolean {
  return (
    error instanceof Error &&
    /dynamically imported module|Importing a module script failed|error loading dynamically|Unable to preload CSS/i.test(
      error.message,
    )
  )
}

/**
 * Loads the page again, at most once in ten seconds, so that a broken build cannot reload for ever. While the server is
 * away it waits, because an old page is better than no page.
 */
export async function reloadOnce(): Promise<void> {
  const last = Number(sessionStorage.getItem(STORED) ?? 0)
  if (Date.now() - last < PAUSE_MS) return
  if (!(await checkHealth())) return void onRecovery(reload)
  reload()
}

function reload(): void {
  sessionStorage.setItem(STORED, String(Date.now()))
  location.reload()
}
