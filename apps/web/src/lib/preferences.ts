const SHORTCUTS = 'svc-shortcuts'

/** Whether single letters act as shortcuts. */
export function readShortcutsEnabled(): boolean {
  return localStorage.getItem(SHORTCUTS) !== 'off'
}

export function chooseShortcutsEnabled(enabled: boolean): void {
  localStorage.setItem(SHORTCUTS, enabled ? 'on' : 'off')
}
