const SHORTCUTS = 'svc-shortcuts'

/** Whether single letters act as shortcuts. */
export function readShortcutsEnabled(): boolean {
  return localStorage.getItem(SHORTCUTS) !== 'off'
}

export function chooseShortcutsEnabled(enabled: boolean): void {
  localStorage.setItem(SHORTCUTS, enabled ? 'on' : 'off')
}

const ROWS = 'svc-rows'

/** Whether long tables have low rows. */
export function readCompactRows(): boolean {
  return localStorage.getItem(ROWS) === 'compact'
}

export function chooseCompactRows(isCompact: boolean): void {
  if (isCompact) localStorage.setItem(ROWS, 'compact')
  else localStorage.removeItem(ROWS)
}
