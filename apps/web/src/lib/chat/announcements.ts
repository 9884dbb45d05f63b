const STORED = 'svc-chat-announcements'

/** Whether answers are read to screen readers while they are written. */
export function readAnnouncements(): boolean {
  return localStorage.getItem(STORED) !== 'off'
}

export function chooseAnnouncements(enabled: boolean): void {
  localStorage.setItem(STORED, enabled ? 'on' : 'off')
}
